import { And, type FindOperator, type FindOptionsWhere, LessThan, MoreThanOrEqual } from 'typeorm';
import { InvalidInputError } from '../kernel/app-error.js';
import { leastIdAt } from '../kernel/ids.js';
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
}

type Where = { -readonly [Column in keyof CallRecord]?: FindOptionsWhere<CallRecord>[Column] };

/** A filter as the database is asked. */
export interface CallConditions {
  /** Account, time and at most one more column: an index answers these alone. */
  readonly indexed: Where;
  /** The remaining columns, for which rows have to be looked at; null: there are none. */
  readonly remaining: Where | null;
  /** The index that answers `indexed`; MySQL, left to itself, may take another of those that begin with the account. */
  readonly index: string;
}

// An id is made when its call arrives, on the same machine; a minute is more than a clock that is set right jumps by.
const clockJumpMs = 60_000;
const timeMaxMs = 2 ** 48 - 1;

/**
 * Divides a filter into what an index finds and what has to be looked at.
 * @param beforeId The last id of the page before; null: the newest.
 * @throws InvalidInputError when the time ends before it begins.
 */
export function toCallConditions(accountId: string, filter: CallFilter, beforeId: string | null): CallConditions {
  const indexed: Where = { accountId };
  const { fromMs, toMs } = filter;
  if (fromMs != null && toMs != null && fromMs >= toMs) {
    throw new InvalidInputError('to', 'The time must end after it begins.');
  }
  const ids: FindOperator<string>[] = [];
  if (fromMs != null) ids.push(MoreThanOrEqual(leastIdAt('call', boundTime(fromMs - clockJumpMs))));
  if (toMs != null) ids.push(LessThan(leastIdAt('call', boundTime(toMs + clockJumpMs))));
  if (beforeId !== null) ids.push(LessThan(beforeId));
  if (ids.length > 0) indexed.callId = And(...ids);
  const times: FindOperator<number>[] = [];
  if (fromMs != null) times.push(MoreThanOrEqual(fromMs));
  if (toMs != null) times.push(LessThan(toMs));
  if (times.length > 0) indexed.startedAtMs = And(...times);

  const [first, ...others] = listColumns(filter);
  // Of calls that were streamed, or were not, there are many in most accounts: that is worth no index, which every call pays for.
  if (filter.isStreamed != null) others.push({ isStreamed: filter.isStreamed });
  Object.assign(indexed, first);
  const index = indexOf[(Object.keys(first ?? {})[0] ?? 'none') as keyof typeof indexOf];
  return { indexed, remaining: others.length === 0 ? null : Object.assign({}, ...others), index };
}

const indexOf = {
  none: 'ix_call_record_account',
  outcome: 'ix_call_record_outcome',
  model: 'ix_call_record_model',
  provider: 'ix_call_record_provider',
  keyId: 'ix_call_record_key',
} as const;

// What is likely to be rare comes first: its index leads past the fewest calls that are not wanted.
function listColumns({ model, provider, keyId, outcome }: CallFilter): Where[] {
  const byOutcome = outcome == null ? [] : [{ outcome }];
  return [
    ...(outcome === 'completed' ? [] : byOutcome),
    ...(model == null ? [] : [{ model }]),
    ...(provider == null ? [] : [{ provider }]),
    ...(keyId == null ? [] : [{ keyId }]),
    ...(outcome === 'completed' ? byOutcome : []),
  ];
}

function boundTime(epochMs: number): number {
  return Math.min(Math.max(0, epochMs), timeMaxMs);
}
