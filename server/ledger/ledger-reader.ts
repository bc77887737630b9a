import { In, LessThan, MoreThan } from 'typeorm';
import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { isId } from '../kernel/ids.js';
import { type Millicredits, toMillicredits, zeroMillicredits } from '../kernel/millicredits.js';
import { readFreezeReasons } from './freeze-reasons.js';
import type { LeaseBook } from './lease-book.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';
import { LedgerTransferEntity } from './ledger-transfer.entity.js';
import type { FreezeReason, TransferType } from './ledger-types.js';
import { type LeaseFigures, readWalletWithLeases } from './read-wallet.js';
import { WalletLeaseEntity } from './wallet-lease.entity.js';

export interface Balance {
  /** What may still be spent. */
  readonly availableMillicredits: Millicredits;
  /** What running calls have reserved; not part of what is available. */
  readonly heldMillicredits: Millicredits;
}

/** Whether an account may spend, and what it owes. */
export interface WalletStanding {
  /** How far below zero refunds and disputes have taken the balance; the next credits in repay it first. */
  readonly debtMillicredits: Millicredits;
  readonly isFrozen: boolean;
  readonly frozenFor: readonly FreezeReason[];
}

export type StatementEntryType =
  | 'purchase'
  | 'grant'
  | 'usage'
  | 'refund'
  | 'refund_returned'
  | 'dispute'
  | 'dispute_returned'
  | 'adjustment';

/** One line of an account's statement: credits that came or went. */
export interface StatementEntry {
  readonly id: string;
  readonly walletSeq: number;
  readonly type: StatementEntryType;
  readonly atMs: number;
  /** More than zero for credits in, less for credits used. */
  readonly amountMillicredits: Millicredits;
  /** Credits in minus credits used, up to and with this line. Reservations of running calls are not taken off. */
  readonly balanceAfterMillicredits: Millicredits;
  /** null for credits in, and for the use of several calls. */
  readonly callId: string | null;
  /** How many calls the line is about; null for credits in. */
  readonly callCount: number | null;
}

// The rows that move credits of a wallet. `hold` and `released` only promise, and what is `absorbed` the house pays.
const typeOnStatement = {
  purchase: 'purchase',
  grant: 'grant',
  settled: 'usage',
  expired: 'usage',
  overage: 'usage',
  late: 'usage',
  refund: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute_returned',
  adjustment: 'adjustment',
} as const satisfies Partial<Record<TransferType, StatementEntryType>>;

/** What an account may read of the ledger. For people and programs to look at: nothing is decided by it. */
export class LedgerReader {
  /** @param ledger This process's, which knows at every moment what its calls have reserved. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly ledger: { readonly leases: Pick<LeaseBook, 'findReserved'> | null } = { leases: null },
  ) {}

  /** An account without a wallet has nothing. Of other processes' leases it counts what they told last. */
  async findBalance(accountId: string): Promise<Balance> {
    const wallet = await readWalletWithLeases(this.unitOfWork.reader, accountId);
    if (!wallet) return { availableMillicredits: zeroMillicredits, heldMillicredits: zeroMillicredits };
    const findReserved = ({ id, reserved }: LeaseFigures) =>
      this.ledger.leases?.findReserved(accountId, id) ?? reserved;
    const leased = wallet.leases.reduce((sum, { amount }) => sum + amount, 0);
    const spent = wallet.leases.reduce((sum, lease) => sum + lease.spent, 0);
    const reserved = wallet.leases.reduce((sum, lease) => sum + findReserved(lease), 0);
    const held = wallet.pending - leased + reserved;
    return {
      availableMillicredits: toMillicredits(wallet.posted - spent - held),
      heldMillicredits: toMillicredits(held),
    };
  }

  /** An account without a wallet owes nothing. */
  async findStanding(accountId: string): Promise<WalletStanding> {
    const wallet = await this.unitOfWork.reader.findOneBy(LedgerAccountEntity, { id: accountId });
    return {
      debtMillicredits: toMillicredits(wallet?.debt ?? 0),
      isFrozen: wallet?.state === 'frozen',
      frozenFor: readFreezeReasons(wallet?.frozenFor ?? null),
    };
  }

  /** Whether the journal has that line of the wallet, which then has all before it. */
  async hasLine(accountId: string, walletSeq: number): Promise<boolean> {
    return this.unitOfWork.reader.existsBy(LedgerTransferEntity, { wallet: accountId, walletSeq });
  }

  /**
   * Newest first. Each line's balance is the one before it plus its own amount, however many calls ran side by side: it
   * is the journal's posted balance, which ignores holds.
   * @param page.beforeSeq The last `walletSeq` of the page before; null: from the newest.
   */
  async listStatement(accountId: string, page: { first: number; beforeSeq: number | null }) {
    const journal = this.unitOfWork.reader.getRepository(LedgerTransferEntity);
    const query = journal.createQueryBuilder('line').setFindOptions({
      select: { wallet: true, walletSeq: true },
      where: {
        wallet: accountId,
        type: In(Object.keys(typeOnStatement)),
        amount: MoreThan(0),
        ...(page.beforeSeq === null ? {} : { walletSeq: LessThan(page.beforeSeq) }),
      },
      order: { walletSeq: 'DESC' },
      take: page.first + 1,
    });
    const seqs = (await queryByIndex(query, 'PRIMARY')).map((row) => Number(row.line_wallet_seq));
    const where = { wallet: accountId, walletSeq: In(seqs) };
    const rows = seqs.length === 0 ? [] : await journal.find({ where, order: { walletSeq: 'DESC' } });
    const shown = rows.slice(0, page.first);
    const counts = await this.#countCalls(shown);
    const items: readonly StatementEntry[] = shown.map((row) => toStatementEntry(row, counts));
    return { items, hasNextPage: rows.length > page.first };
  }

  // By lease; what else used credits is about one call.
  async #countCalls(rows: readonly LedgerTransferEntity[]): Promise<ReadonlyMap<string, number>> {
    const ids = rows.flatMap(({ holdId }) => (holdId !== null && isId('lease', holdId) ? [holdId] : []));
    if (ids.length === 0) return new Map();
    const leases = await this.unitOfWork.reader.findBy(WalletLeaseEntity, { id: In(ids) });
    return new Map(leases.map(({ id, calls }) => [id, calls]));
  }
}

function toStatementEntry(row: LedgerTransferEntity, callsOfLeases: ReadonlyMap<string, number>): StatementEntry {
  const isCreditIn = row.creditAccount === row.wallet;
  const callsOfLease = callsOfLeases.get(row.holdId ?? '');
  return {
    id: row.id,
    walletSeq: row.walletSeq,
    type: findEntryType(row),
    atMs: row.atMs,
    amountMillicredits: toMillicredits(isCreditIn ? row.amount : -row.amount),
    balanceAfterMillicredits: toMillicredits(row.postedAfter),
    callId: callsOfLease === undefined ? row.holdId : null,
    callCount: callsOfLease ?? (row.holdId === null ? null : 1),
  };
}

// A refund that failed is booked as a correction, known by its id: there is no other kind of credits in for it.
function findEntryType({ id, type }: LedgerTransferEntity): StatementEntryType {
  if (type === 'adjustment' && id.startsWith('refund:')) return 'refund_returned';
  return typeOnStatement[type as keyof typeof typeOnStatement];
}
