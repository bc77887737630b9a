import { type FindOptionsWhere, In, IsNull, LessThan, Like, MoreThan, MoreThanOrEqual, Not, Raw } from 'typeorm';
import type { TransferType } from '../ledger-types.js';
import type { LedgerTransferEntity } from '../tables/ledger-transfer.entity.js';

export type StatementEntryType =
  | 'purchase'
  | 'grant'
  | 'usage'
  | 'refund'
  | 'refund_returned'
  | 'dispute'
  | 'dispute_returned'
  | 'adjustment';

/** Which lines of a statement are wanted: those that fit all that is given; null, or left out: no matter. */
export interface StatementFilter {
  readonly types?: readonly StatementEntryType[] | null;
  /** Booked then or later. */
  readonly fromMs?: number | null;
  /** Booked before then. */
  readonly toMs?: number | null;
}

// The rows that move credits of a wallet. `hold` and `released` only promise, and what is `absorbed` the operator pays.
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
const booked = Object.entries(typeOnStatement) as [TransferType, StatementEntryType][];

// A refund that failed is booked as a correction, known by its id: there is no other kind of credits in for it.
const failedRefund = 'refund:';

/** What a row of the journal is called on a statement. */
export function findEntryType({ id, type }: Pick<LedgerTransferEntity, 'id' | 'type'>): StatementEntryType {
  if (type === 'adjustment' && id.startsWith(failedRefund)) return 'refund_returned';
  return typeOnStatement[type as keyof typeof typeOnStatement];
}

/** The lines of one wallet that are numbered in between, both bounds included. */
export interface LineBounds {
  readonly accountId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/**
 * The journal's rows that a filter means: a list of which each row fits one.
 * @returns also the index to read them by: lines of credits in and taken back are told by having no hold, so that a page of them does
 * not read all that was used.
 */
export function toLineConditions({ accountId, firstSeq, lastSeq }: LineBounds, filter: StatementFilter) {
  const wanted = new Set<StatementEntryType>(
    filter.types ?? booked.map(([, shown]) => shown).concat('refund_returned'),
  );
  const hasUsage = wanted.has('usage');
  const common: FindOptionsWhere<LedgerTransferEntity> = {
    wallet: accountId,
    walletSeq: Raw((seq) => `${seq} BETWEEN :firstSeq AND :lastSeq`, { firstSeq, lastSeq }),
    amount: MoreThan(0),
    ...timesOf(filter),
    ...(hasUsage ? {} : { holdId: IsNull() }),
  };
  const [corrections, failed] = [wanted.has('adjustment'), wanted.has('refund_returned')];
  const types = booked.filter(([type, shown]) => type !== 'adjustment' && wanted.has(shown)).map(([type]) => type);
  const where: FindOptionsWhere<LedgerTransferEntity>[] = [];
  if (corrections && failed) types.push('adjustment');
  else if (corrections) where.push({ ...common, type: 'adjustment', id: Not(Like(`${failedRefund}%`)) });
  else if (failed) where.push({ ...common, type: 'adjustment', id: Like(`${failedRefund}%`) });
  where.push({ ...common, type: In(types) });
  return { where, index: hasUsage ? 'PRIMARY' : 'ix_ledger_transfer_hold' };
}

function timesOf({ fromMs, toMs }: StatementFilter): FindOptionsWhere<LedgerTransferEntity> {
  const [from, to] = [fromMs ?? null, toMs ?? null];
  if (from !== null && to !== null) return { atMs: Raw((at) => `(${at} >= :from AND ${at} < :to)`, { from, to }) };
  if (from !== null) return { atMs: MoreThanOrEqual(from) };
  return to === null ? {} : { atMs: LessThan(to) };
}
