import { And, type FindOptionsWhere, LessThan, MoreThan, type Repository } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { leastIdAt, timeOfId } from '../../kernel/ids.js';
import { boundTime, type CallFilter, clockJumpMs } from '../requests/call-filter.js';

/** The sums of one hour that tell whether a call in it may fit a filter; the ledger keeps them. */
interface HourSums {
  readonly accountId: string;
  readonly hourMs: number;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly calls: number;
  readonly failedCalls: number;
}

type Where = { -readonly [Column in keyof HourSums]?: FindOptionsWhere<HourSums>[Column] };

/** Where to look for calls: at those with ids below this one. null: at the newest. */
export interface CallStart {
  readonly beforeId: string | null;
}

const hourMs = 3_600_000;

/**
 * Finds the hours in which calls of a model, of a provider or with a bad end arrived, by the sums that the ledger keeps of each
 * hour. So calls that are rare are found without a look at all those between them, and without an index that every call would
 * pay for.
 */
export class CallHours {
  readonly #hours: Repository<HourSums>;

  // By the table's name: the ledger owns it.
  constructor(unitOfWork: UnitOfWork) {
    this.#hours = unitOfWork.reader.getRepository<HourSums>('usage_hour');
  }

  /**
   * The end of the newest hour that has calls of this filter, if that is before `beforeId`.
   * @param beforeId Only calls with lesser ids matter; null: all.
   * @returns null when no hour has any.
   */
  async skipAhead(accountId: string, filter: CallFilter, beforeId: string | null): Promise<CallStart | null> {
    const wanted = toHourConditions(filter);
    if (wanted === null) return { beforeId };
    const times = [];
    if (filter.fromMs != null) times.push(MoreThan(filter.fromMs - hourMs));
    const endMs = Math.min(
      filter.toMs ?? Number.POSITIVE_INFINITY,
      beforeId === null ? Number.POSITIVE_INFINITY : timeOfId(beforeId) + clockJumpMs,
    );
    if (Number.isFinite(endMs)) times.push(LessThan(endMs));
    const where: Where = { accountId, ...wanted };
    if (times.length > 0) where.hourMs = And(...times);
    const hour = await this.#hours.findOne({ select: { hourMs: true }, where, order: { hourMs: 'DESC' } });
    if (hour === null) return null;
    const endId = leastIdAt('call', boundTime(hour.hourMs + hourMs + clockJumpMs));
    return { beforeId: beforeId === null || endId < beforeId ? endId : beforeId };
  }
}

/** @returns null when the sums say nothing about the filter, or an index says more. */
function toHourConditions({ model, provider, keyId, outcome }: CallFilter): Where | null {
  const where: Where = {};
  if (model != null) where.model = model;
  if (provider != null) where.provider = provider;
  // Counted together. Calls that their callers left count as good ones, so the sums do not tell these apart.
  if (outcome === 'failed' || outcome === 'interrupted' || outcome === 'expired') where.failedCalls = MoreThan(0);
  if (Object.keys(where).length === 0) return null;
  if (keyId != null) where.keyId = keyId;
  // What was counted may have been taken back when a receipt was replaced.
  return { calls: MoreThan(0), ...where };
}
