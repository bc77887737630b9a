import { sum } from './usage-series';

const dayMs = 86_400_000;
const daysDrawnMax = 90;

/** How many days have passed since a time, with their parts; at least an hour, of which something can be said. */
function daysSince(sinceMs: number, nowMs: number): number {
  return Math.max(1 / 24, (nowMs - sinceMs) / dayMs);
}

/**
 * What is spent in a day: the average of the last `days`, or of those since the first use when that is later; null: nothing was. Of
 * today counts the part that has passed.
 *
 * @param daily Millicredits of each day of UTC, the oldest first; the last one is today.
 */
export function averageOfDays(daily: readonly number[], days: number, nowMs: number): number | null {
  const last = daily.slice(-days);
  const firstUse = last.findIndex((spent) => spent > 0);
  if (firstUse === -1) return null;
  const isOlder = daily.slice(0, -days).some((spent) => spent > 0);
  const daysBefore = last.length - 1 - (isOlder ? 0 : firstUse);
  const todayMs = Math.floor(nowMs / dayMs) * dayMs;
  return sum(last) / daysSince(todayMs - daysBefore * dayMs, nowMs);
}

/** For how many days a balance lasts at a pace. @param available Millicredits. @param pace Millicredits of a day, above 0. */
export function daysLeft(available: number, pace: number): number {
  return Math.max(0, available) / pace;
}

/**
 * The balance of each of the coming days, today first, until the slowest of the paces has used it up; at most 90 days. A line ends with
 * the first day on which nothing is left.
 *
 * @param available Millicredits. @param paces Millicredits of a day, above 0.
 */
export function projectBalance(available: number, paces: readonly number[]): readonly (readonly (number | null)[])[] {
  const longest = Math.max(1, ...paces.map((pace) => Math.ceil(daysLeft(available, pace))));
  const points = Math.min(daysDrawnMax, longest) + 1;
  return paces.map((pace) =>
    Array.from({ length: points }, (_, day) => {
      const left = Math.max(0, available) - pace * day;
      return left > -pace ? Math.max(0, Math.round(left)) : null;
    }),
  );
}

export interface KeyBudget {
  /** Millicredits. */
  readonly limit: number;
  readonly spent: number;
  /** When the next period begins. */
  readonly resetsAtMs: number;
  readonly createdAtMs: number;
  /** What it spent in the last seven days, in millicredits. */
  readonly spentInWeek: number;
}

/** What becomes of a budget at the pace of the last week: used up already, at a time before it begins anew, or not before then. */
export type BurnDown =
  | { readonly state: 'used up' }
  | { readonly state: 'stops'; readonly atMs: number }
  | { readonly state: 'lasts' };

export function burnDown({ limit, spent, resetsAtMs, createdAtMs, spentInWeek }: KeyBudget, nowMs: number): BurnDown {
  if (spent >= limit) return { state: 'used up' };
  const inUseMs = Math.min(7, daysSince(createdAtMs, nowMs)) * dayMs;
  if (spentInWeek <= 0) return { state: 'lasts' };
  const atMs = nowMs + ((limit - spent) / spentInWeek) * inUseMs;
  return atMs < resetsAtMs ? { state: 'stops', atMs: Math.round(atMs) } : { state: 'lasts' };
}
