import { type EntityManager, In, Not } from 'typeorm';
import { monthAfter, monthOf } from '../../kernel/spend-period.js';
import { CallRecordEntity } from '../tables/call-record.entity.js';
import { LedgerAccountEntity } from '../tables/ledger-account.entity.js';
import { LedgerHoldEntity } from '../tables/ledger-hold.entity.js';
import { LedgerTransferEntity } from '../tables/ledger-transfer.entity.js';
import { WalletLeaseEntity } from '../tables/wallet-lease.entity.js';

/** What one removal adds to a month of an account. */
interface MonthSums {
  readonly accountId: string;
  readonly monthMs: number;
  calls: number;
  heldCalls: number;
  promptTokens: number;
  completionTokens: number;
  charged: number;
  absorbed: number;
}

/** What one removal takes over from the receipts of a lease. */
interface LeaseSums {
  spent: number;
  calls: number;
}

/** What has to be read of a receipt to sum it up; the rest of its row is most of it. */
export const columnsToSum = {
  callId: true,
  accountId: true,
  lease: true,
  startedAtMs: true,
  promptTokens: true,
  completionTokens: true,
  chargedMillicredits: true,
  absorbedMillicredits: true,
} as const satisfies Partial<Record<keyof CallRecordEntity, true>>;

type ReceiptToSum = Pick<CallRecordEntity, keyof typeof columnsToSum>;

/** What some receipts come to; `receipts` are those among the given ones that nothing can change any more. */
export interface ReceiptsToSeal<Receipt extends ReceiptToSum = ReceiptToSum> {
  readonly receipts: readonly Receipt[];
  readonly months: readonly MonthSums[];
  readonly leases: ReadonlyMap<string, LeaseSums>;
}

/** The receipts were removed meanwhile, by another process, and nothing was changed. */
export class SealedElsewhereError extends Error {
  override readonly name = 'SealedElsewhereError';
}

/**
 * Sums receipts up. Left out are those that may still change: their hold expired, so that its owner may come back with the true
 * figure; their lease has not ended; or their wallet is frozen or closing, as while a payment is disputed, and they are evidence.
 */
export async function sumReceiptsToSeal<Receipt extends ReceiptToSum>(
  reader: EntityManager,
  found: readonly Receipt[],
): Promise<ReceiptsToSeal<Receipt>> {
  const holds = await readHoldStates(reader, found);
  const leasesAtWork = await readLeasesAtWork(reader, found);
  const openOrClosedWallets = await readOpenOrClosedWallets(reader, found);
  const receipts = found.filter(({ callId, accountId, lease }) => {
    if (!openOrClosedWallets.has(accountId)) return false;
    const state = holds.get(callId);
    return lease === null ? state === 'settled' || state === 'released' : !leasesAtWork.has(lease);
  });
  const beyond = await readBeyondLeases(reader, receipts);
  const months = new Map<string, MonthSums>();
  const leases = new Map<string, LeaseSums>();
  for (const receipt of receipts) {
    addToMonth(months, receipt, holds.get(receipt.callId) === 'settled');
    if (receipt.lease !== null) addToLease(leases, receipt.lease, receipt, beyond.get(receipt.callId));
  }
  return { receipts, months: [...months.values()], leases };
}

/**
 * Removes the receipts and adds their sums to the months and leases, in the transaction that is given.
 * @throws SealedElsewhereError when one of them is gone; the transaction must then be undone.
 */
export async function sealReceipts(
  transaction: EntityManager,
  { receipts, months, leases }: ReceiptsToSeal,
): Promise<void> {
  // A write comes first: on SQLite a transaction that has read before may not write once another one was committed.
  const { affected } = await transaction.delete(
    CallRecordEntity,
    receipts.map(({ callId }) => callId),
  );
  if (affected !== receipts.length) throw new SealedElsewhereError('Receipts were removed by another process.');
  const isSqlite = transaction.connection.options.type === 'better-sqlite3';
  const sums = [
    'calls',
    'held_calls',
    'prompt_tokens',
    'completion_tokens',
    'charged_millicredits',
    'absorbed_millicredits',
  ];
  const columns = ['account_id', 'month_ms', 'month_end_ms', ...sums];
  const add = isSqlite
    ? `ON CONFLICT (account_id, month_ms) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`
    : `ON DUPLICATE KEY UPDATE ${sums.map((name) => `${name} = ${name} + VALUES(${name})`).join(', ')}`;
  await transaction.query(
    `INSERT INTO sealed_month (${columns.join(', ')}) VALUES ${months.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ')} ${add}`,
    months.flatMap((month) => {
      const { accountId, monthMs, calls, heldCalls, promptTokens, completionTokens, charged, absorbed } = month;
      const figures = [calls, heldCalls, promptTokens, completionTokens, charged, absorbed];
      return [accountId, monthMs, monthAfter(monthMs), ...figures];
    }),
  );
  for (const [id, { spent, calls }] of leases) {
    await transaction.query(
      'UPDATE wallet_lease SET sealed_spent = COALESCE(sealed_spent, 0) + ?, sealed_calls = COALESCE(sealed_calls, 0) + ? WHERE id = ?',
      [spent, calls, id],
    );
  }
}

async function readHoldStates(reader: EntityManager, found: readonly ReceiptToSum[]) {
  const ids = found.filter(({ lease }) => lease === null).map(({ callId }) => callId);
  const rows = await reader.find(LedgerHoldEntity, { select: { id: true, state: true }, where: { id: In(ids) } });
  return new Map(rows.map(({ id, state }) => [id, state]));
}

// One that the database does not know, since it has lost its last commits, takes no more calls than one that has ended.
async function readLeasesAtWork(reader: EntityManager, found: readonly ReceiptToSum[]): Promise<Set<string>> {
  const ids = new Set(found.flatMap(({ lease }) => (lease === null ? [] : [lease])));
  const where = { id: In([...ids]), state: Not('ended' as const) };
  const rows = await reader.find(WalletLeaseEntity, { select: { id: true }, where });
  return new Set(rows.map(({ id }) => id));
}

async function readOpenOrClosedWallets(reader: EntityManager, found: readonly ReceiptToSum[]): Promise<Set<string>> {
  const ids = new Set(found.map(({ accountId }) => accountId));
  const where = { id: In([...ids]), state: In(['open', 'closed']) };
  const rows = await reader.find(LedgerAccountEntity, { select: { id: true }, where });
  return new Set(rows.map(({ id }) => id));
}

interface Beyond {
  charged: number;
  isLate: boolean;
}

/** What calls against leases were charged beyond their lease, and whether they came too late for it. */
async function readBeyondLeases(reader: EntityManager, receipts: readonly ReceiptToSum[]) {
  const ids = receipts.filter(({ lease }) => lease !== null).map(({ callId }) => callId);
  const rows = await reader.find(LedgerTransferEntity, {
    select: { id: true, wallet: true, walletSeq: true, holdId: true, type: true, amount: true },
    where: { holdId: In(ids), type: In(['overage', 'late', 'absorbed']) },
  });
  const beyond = new Map<string, Beyond>();
  for (const { holdId, type, amount } of rows) {
    const sums = beyond.get(String(holdId)) ?? { charged: 0, isLate: false };
    beyond.set(String(holdId), sums);
    if (type !== 'absorbed') sums.charged += amount;
    if (type === 'late') sums.isLate = true;
  }
  return beyond;
}

function addToMonth(months: Map<string, MonthSums>, receipt: ReceiptToSum, isCharged: boolean): void {
  const monthMs = monthOf(receipt.startedAtMs);
  const name = `${receipt.accountId} ${monthMs}`;
  const sums = months.get(name) ?? {
    accountId: receipt.accountId,
    monthMs,
    calls: 0,
    heldCalls: 0,
    promptTokens: 0,
    completionTokens: 0,
    charged: 0,
    absorbed: 0,
  };
  months.set(name, sums);
  sums.calls += 1;
  sums.heldCalls += isCharged ? 1 : 0;
  sums.promptTokens += receipt.promptTokens;
  sums.completionTokens += receipt.completionTokens;
  sums.charged += receipt.chargedMillicredits;
  sums.absorbed += receipt.absorbedMillicredits;
}

function addToLease(leases: Map<string, LeaseSums>, id: string, receipt: ReceiptToSum, beyond?: Beyond): void {
  const sums = leases.get(id) ?? { spent: 0, calls: 0 };
  leases.set(id, sums);
  sums.spent += receipt.chargedMillicredits - (beyond?.charged ?? 0);
  sums.calls += beyond?.isLate ? 0 : 1;
}
