import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { dayMs, hourMs } from './journal/journal-rows.js';
import { UsageHourEntity } from './tables/usage-hour.entity.js';

/** An account that used far more in the last 24 hours than on a usual day of the week before; in millicredits. */
export interface SpendingSpike {
  readonly accountId: string;
  readonly spent: number;
  /** The mean of the seven days before; 0: nothing was used then. */
  readonly usualDay: number;
}

const spikeTimes = 5;
/** A dollar. */
const spikeMillicreditsMin = 1_000_000;
const usualDays = 7;
const largestMax = 200;
const spikesMax = 50;
const nobody: ReadonlySet<string> = new Set();

/** Finds them among the 200 accounts that used the most in the last 24 hours, out of the ledger's hours of use. The largest first. */
export class SpendingSpikes {
  constructor(
    private readonly unitOfWork: Pick<UnitOfWork, 'reader'>,
    private readonly clock: Clock,
  ) {}

  /** At most 50. @param leftOut Accounts that are not told of. */
  async find(leftOut: ReadonlySet<string> = nobody): Promise<readonly SpendingSpike[]> {
    const { fromMs, toMs } = this.#lastDay();
    const largest = await this.#sum({ fromMs, toMs, accountIds: null }, 'ix_usage_hour_time');
    for (const accountId of leftOut) largest.delete(accountId);
    return this.#compare(largest, fromMs);
  }

  /** Whether one account is such a one, however many use more; null: it is not. */
  async findOf(accountId: string): Promise<SpendingSpike | null> {
    const { fromMs, toMs } = this.#lastDay();
    const spent = await this.#sum({ fromMs, toMs, accountIds: [accountId] }, 'PRIMARY');
    if ((spent.get(accountId) ?? 0) < spikeMillicreditsMin) return null;
    return (await this.#compare(spent, fromMs))[0] ?? null;
  }

  #lastDay() {
    const thisHourMs = Math.floor(this.clock.nowMs() / hourMs) * hourMs;
    return { fromMs: thisHourMs + hourMs - dayMs, toMs: thisHourMs + hourMs };
  }

  async #compare(largest: ReadonlyMap<string, number>, fromMs: number): Promise<readonly SpendingSpike[]> {
    const accountIds = [...largest.keys()];
    if (accountIds.length === 0) return [];
    const before = await this.#sum({ fromMs: fromMs - usualDays * dayMs, toMs: fromMs, accountIds }, 'PRIMARY');
    return [...largest]
      .map(([accountId, spent]) => {
        return { accountId, spent, usualDay: Math.floor((before.get(accountId) ?? 0) / usualDays) };
      })
      .filter(({ spent, usualDay }) => spent >= usualDay * spikeTimes)
      .slice(0, spikesMax);
  }

  async #sum(
    { fromMs, toMs, accountIds }: { fromMs: number; toMs: number; accountIds: readonly string[] | null },
    index: string,
  ): Promise<Map<string, number>> {
    const query = this.unitOfWork.reader
      .getRepository(UsageHourEntity)
      .createQueryBuilder('u')
      .select('u.account_id', 'accountId')
      .addSelect('SUM(u.charged_millicredits)', 'charged')
      .where('u.hour_ms >= :fromMs AND u.hour_ms < :toMs', { fromMs, toMs })
      .groupBy('u.account_id');
    if (accountIds !== null) query.andWhere('u.account_id IN (:...accountIds)', { accountIds });
    else {
      query.having('SUM(u.charged_millicredits) >= :least', { least: spikeMillicreditsMin });
      query.orderBy('SUM(u.charged_millicredits)', 'DESC').limit(largestMax);
    }
    const rows = await queryByIndex(query, index);
    return new Map(rows.map(({ accountId, charged }) => [String(accountId), Number(charged)]));
  }
}
