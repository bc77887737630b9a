import { And, type FindOperator, type FindOptionsWhere, LessThan, MoreThanOrEqual } from 'typeorm';
import { InvalidInputError } from '../../kernel/app-error.js';
import { leastIdAt } from '../../kernel/ids.js';
import type { CallRecord } from './call-reader.js';

/** Which calls are wanted; what is left out or null does not matter. */
export interface CallFilter {
  /** When they arrived: from then on. */
  readonly fromMs?: number | null | undefined;
  /** When they arrived: before then. */
  readonly toMs?: number | null | undefined;
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly keyId?: string | null | undefined;
  readonly outcome?: CallRecord['outcome'] | null | undefined;
  readonly isStreamed?: boolean | null | undefined;
  readonly tag?: string | null | undefined;
  readonly endUser?: string | null | undefined;
  readonly errorCode?: string | null | undefined;
}

type Where = { -readonly [Column in keyof CallRecord]?: FindOptionsWhere<CallRecord>[Column] };

/** A filter as the database is asked. */
export interface CallConditions {
  /** Account, time and key: an index answers these alone. */
  readonly indexed: Where;
  /** The remaining columns, for which rows have to be looked at; null: there are none. */
  readonly remaining: Where | null;
  /** The index that answers `indexed`; MySQL, left to itself, may take another. */
  readonly index: string;
}

// An id is made when its call arrives, on the same machine; a minute is more than a clock that is set right jumps by.
export const clockJumpMs = 60_000;
const timeMaxMs = 2 ** 48 - 1;

/** @throws InvalidInputError when the time ends before it begins. */
export function assertTimes({ fromMs, toMs }: CallFilter): void {
  if (fromMs == null || toMs == null || fromMs < toMs) return;
  throw new InvalidInputError('to', 'The time must end after it begins.');
}

/**
 * Divides a filter into what an index finds and what has to be looked at.
 * @param beforeId The last id of the page before; null: the newest.
 * @param firstId The least id that is looked at; null: all.
 */
export function toCallConditions(
  accountId: string,
  filter: CallFilter,
  beforeId: string | null,
  firstId: string | null = null,
): CallConditions {
  const indexed: Where = { accountId };
  const { fromMs, toMs } = filter;
  // One bound of a kind: of two, SQLite goes by one through the index, and passes every call that only the other leaves out.
  const since = [fromMs == null ? null : leastIdAt('call', boundTime(fromMs - clockJumpMs)), firstId];
  const until = [toMs == null ? null : leastIdAt('call', boundTime(toMs + clockJumpMs)), beforeId];
  const least = since
    .filter((id) => id !== null)
    .sort()
    .at(-1);
  const end = until.filter((id) => id !== null).sort()[0];
  const ids: FindOperator<string>[] = [];
  if (least !== undefined) ids.push(MoreThanOrEqual(least));
  if (end !== undefined) ids.push(LessThan(end));
  if (ids.length > 0) indexed.callId = And(...ids);
  const times: FindOperator<number>[] = [];
  if (fromMs != null) times.push(MoreThanOrEqual(fromMs));
  if (toMs != null) times.push(LessThan(toMs));
  if (times.length > 0) indexed.startedAtMs = And(...times);

  if (filter.keyId != null) indexed.keyId = filter.keyId;
  const index = filter.keyId == null ? 'ix_call_record_account' : 'ix_call_record_key';
  const remaining = listRemaining(filter);
  return { indexed, remaining: Object.keys(remaining).length === 0 ? null : remaining, index };
}

// An index for each of these would be one more thing for every call to pay for.
function listRemaining({ model, provider, outcome, isStreamed, tag, endUser, errorCode }: CallFilter): Where {
  return {
    ...(model != null && { model }),
    ...(provider != null && { provider }),
    ...(outcome != null && { outcome }),
    ...(isStreamed != null && { isStreamed }),
    ...(tag != null && { tag }),
    ...(endUser != null && { endUser }),
    ...(errorCode != null && { errorCode }),
  };
}

/** A time that an id can carry. */
export function boundTime(epochMs: number): number {
  return Math.min(Math.max(0, epochMs), timeMaxMs);
}
