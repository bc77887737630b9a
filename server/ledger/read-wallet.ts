import type { EntityManager } from 'typeorm';
import type { LedgerAccountEntity } from './tables/ledger-account.entity.js';

/** A lease that has not ended, by the last renewal of its process. */
export interface LeaseFigures {
  readonly id: string;
  readonly amount: number;
  readonly spent: number;
  readonly reserved: number;
}

export interface WalletFigures {
  readonly posted: number;
  /** What holds and leases have set aside. */
  readonly pending: number;
  readonly state: LedgerAccountEntity['state'];
  readonly frozenFor: string | null;
  readonly leases: readonly LeaseFigures[];
}

type Row = Readonly<Record<string, string | number | null>>;

/** A wallet and its leases at one moment; null: there is no such wallet. */
export async function readWalletWithLeases(reader: EntityManager, accountId: string): Promise<WalletFigures | null> {
  // One statement, so that nothing is counted on both sides.
  const rows = (await reader.query(
    `SELECT a.credits_posted - a.debits_posted AS posted, a.debits_pending AS pending, a.state, a.frozen_for, l.id AS lease,
       l.amount, l.spent, l.reserved
     FROM ledger_account a
     LEFT JOIN wallet_lease l ON l.wallet = a.id AND l.state IN ('open', 'recalled', 'draining')
     WHERE a.id = ? AND a.kind = 'wallet'`,
    [accountId],
  )) as Row[];
  const [first] = rows;
  if (!first) return null;
  const leases = rows.filter(({ lease }) => lease !== null).map(toLease);
  const state = first.state as LedgerAccountEntity['state'];
  const frozenFor = first.frozen_for as string | null;
  return { posted: Number(first.posted), pending: Number(first.pending), state, frozenFor, leases };
}

function toLease({ lease, amount, spent, reserved }: Row): LeaseFigures {
  return { id: String(lease), amount: Number(amount), spent: Number(spent), reserved: Number(reserved) };
}

/** What a wallet has: credits in less credits used, those that leases have spent included. What is reserved is not taken off. */
export function balanceOf({ posted, leases }: Pick<WalletFigures, 'posted' | 'leases'>): number {
  return posted - leases.reduce((sum, { spent }) => sum + spent, 0);
}

/**
 * What a wallet has and whether it is open, as the caller's transaction sees it; null: there is no such wallet. What running calls have
 * reserved is part of it: most of that comes back, and it is no reason to charge a card or to warn anybody.
 */
export async function readWallet(
  transaction: EntityManager,
  accountId: string,
): Promise<{ balanceMillicredits: number; isOpen: boolean } | null> {
  const wallet = await readWalletWithLeases(transaction, accountId);
  return wallet && { balanceMillicredits: balanceOf(wallet), isOpen: wallet.state === 'open' };
}

/** What an account has used since its balance was `postedMillicredits`: at least 0, and less by later credits. null: it has no wallet. */
export async function findUsedSince(
  reader: EntityManager,
  accountId: string,
  postedMillicredits: number,
): Promise<number | null> {
  const wallet = await readWalletWithLeases(reader, accountId);
  return wallet && Math.max(0, postedMillicredits - balanceOf(wallet));
}
