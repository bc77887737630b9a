import { In } from 'typeorm';
import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { isId } from '../kernel/ids.js';
import { type Millicredits, toMillicredits, zeroMillicredits } from '../kernel/millicredits.js';
import { divideBalance } from './divide-balance.js';
import { readFreezeReasons } from './freeze-reasons.js';
import { findStretch, type TimedLine } from './journal/find-stretch.js';
import {
  findEntryType,
  type StatementEntryType,
  type StatementFilter,
  toLineConditions,
} from './journal/statement-filter.js';
import type { LeaseBook } from './leases/lease-book.js';
import type { FreezeReason } from './ledger-types.js';
import { balanceOf, type LeaseFigures, readWalletWithLeases } from './read-wallet.js';
import { CallRecordEntity } from './tables/call-record.entity.js';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';
import { WalletLeaseEntity } from './tables/wallet-lease.entity.js';

export interface Balance {
  /** What may still be spent; less than 0 only by what is owed. */
  readonly availableMillicredits: Millicredits;
  /** What of the balance running calls have reserved; not part of what is available. */
  readonly heldMillicredits: Millicredits;
}

/** Whether an account may spend, and what it owes. */
export interface WalletStanding {
  /** How far below zero refunds and disputes have taken the balance; the next credits in repay it first. What is only reserved is not owed. */
  readonly debtMillicredits: Millicredits;
  readonly isFrozen: boolean;
  readonly frozenFor: readonly FreezeReason[];
}

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
  /** The lease that the calls were booked against; null for credits in, and for a call with a hold of its own. */
  readonly leaseId: string | null;
}

/** What a page of a statement can tell of the calls behind its lines. */
export interface StatementCalls {
  /** By the ids of calls; without those whose receipts were removed. */
  readonly models: ReadonlyMap<string, string>;
  /** By the ids of leases: when each began; its calls were let in from then on. */
  readonly leaseStartsMs: ReadonlyMap<string, number>;
}

/** Which page of a statement is wanted. */
export interface StatementPage {
  readonly first: number;
  readonly beforeSeq: number | null;
  readonly filter?: StatementFilter;
}

/** More lines than a wallet will ever have. */
const seqMax = 1_000_000_000_000_000;
/** The clocks of two instances may be apart by less than this. */
const clockSlackMs = 24 * 60 * 60 * 1_000;
/** So many are read through for a stretch of time, wherever it lies. */
const linesReadMax = 5_000;
/** Of longer statements the times of so many lines are looked at. */
const marksMax = 500;

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
    const reserved = wallet.leases.reduce((sum, lease) => sum + findReserved(lease), 0);
    const { availableMillicredits, heldMillicredits } = divideBalance(
      balanceOf(wallet),
      wallet.pending - leased + reserved,
    );
    return { availableMillicredits, heldMillicredits };
  }

  /** An account without a wallet owes nothing. */
  async findStanding(accountId: string): Promise<WalletStanding> {
    const wallet = await readWalletWithLeases(this.unitOfWork.reader, accountId);
    return {
      // Not the column `debt`: that is what the tables permit, reservations included.
      debtMillicredits: divideBalance(wallet ? balanceOf(wallet) : 0, 0).debtMillicredits,
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
  async listStatement(accountId: string, page: StatementPage) {
    const bounds = await this.#findBounds(accountId, page);
    const { where, index } = toLineConditions({ accountId, ...bounds }, page.filter ?? {});
    const journal = this.unitOfWork.reader.getRepository(LedgerTransferEntity);
    const select = { wallet: true, walletSeq: true } as const;
    const query = journal
      .createQueryBuilder('line')
      .setFindOptions({ select, where, order: { walletSeq: 'DESC' }, take: page.first + 1 });
    const seqs = (await queryByIndex(query, index)).map((row) => Number(row.line_wallet_seq));
    const found = { wallet: accountId, walletSeq: In(seqs) };
    const rows = seqs.length === 0 ? [] : await journal.find({ where: found, order: { walletSeq: 'DESC' } });
    const shown = rows.slice(0, page.first);
    const counts = await this.#countCalls(shown);
    const items: readonly StatementEntry[] = shown.map((row) => toStatementEntry(row, counts));
    return { items, hasNextPage: rows.length > page.first };
  }

  /** Two reads by index, however many lines there are. */
  async findCalls(lines: readonly Pick<StatementEntry, 'callId' | 'leaseId'>[]): Promise<StatementCalls> {
    const { reader } = this.unitOfWork;
    const [callIds, leaseIds] = [
      lines.flatMap(({ callId }) => callId ?? []),
      lines.flatMap((line) => line.leaseId ?? []),
    ];
    const [calls, holds] = await Promise.all([
      callIds.length === 0
        ? []
        : reader.find(CallRecordEntity, { select: { callId: true, model: true }, where: { callId: In(callIds) } }),
      leaseIds.length === 0
        ? []
        : reader.find(LedgerTransferEntity, {
            select: { wallet: true, walletSeq: true, holdId: true, atMs: true },
            where: { holdId: In(leaseIds), type: 'hold' },
          }),
    ]);
    return {
      models: new Map(calls.map(({ callId, model }) => [callId, model])),
      leaseStartsMs: new Map(holds.map(({ holdId, atMs }) => [holdId ?? '', atMs])),
    };
  }

  // Lines stand in the order of time, but for clocks that were set: so the times of some of them, from end to end, tell between which ones
  // a span lies. Halving would be led astray by one line of a clock that was days ahead.
  async #findBounds(accountId: string, { beforeSeq, filter }: StatementPage) {
    const whole = { firstSeq: 1, lastSeq: (beforeSeq ?? seqMax) - 1 };
    const fromMs = filter?.fromMs ?? null;
    const toMs = filter?.toMs ?? null;
    if (fromMs === null && toMs === null) return whole;
    const wallet = await this.unitOfWork.reader.findOneBy(LedgerAccountEntity, { id: accountId });
    const lineCount = wallet?.seq ?? 0;
    if (lineCount <= linesReadMax) return whole;
    const stretch = findStretch(await this.#listTimes(accountId, lineCount), {
      fromMs: (fromMs ?? Number.NEGATIVE_INFINITY) - clockSlackMs,
      toMs: (toMs ?? Number.POSITIVE_INFINITY) + clockSlackMs,
    });
    if (stretch === null) return { firstSeq: 1, lastSeq: 0 };
    return { firstSeq: stretch.firstSeq, lastSeq: Math.min(whole.lastSeq, stretch.lastSeq ?? seqMax) };
  }

  /** Of the first line, of the newest, and of some between, evenly; in their order. */
  async #listTimes(wallet: string, lineCount: number): Promise<readonly TimedLine[]> {
    const step = (lineCount - 1) / marksMax;
    const walletSeqs = Array.from({ length: marksMax + 1 }, (_, n) => 1 + Math.round(n * step));
    return this.unitOfWork.reader.getRepository(LedgerTransferEntity).find({
      select: { wallet: true, walletSeq: true, atMs: true },
      where: { wallet, walletSeq: In(walletSeqs) },
      order: { walletSeq: 'ASC' },
    });
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
    leaseId: callsOfLease === undefined ? null : row.holdId,
  };
}
