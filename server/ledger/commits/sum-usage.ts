import { lastJournalHour } from '../journal/hours-to-sum-again.js';
import type { BatchSnapshot, CallRecordRow, UsageHourRow } from '../tables/ledger-rows.js';

const hourMs = 3_600_000;

/** Columns that a batch reads: the hour of use that is to be summed next, or is being summed (`server/totals/`), and the last one of the journal that is. */
export const summedHourColumns = `(SELECT hour_ms FROM totals_mark WHERE name = 'usage') AS summed_hour_ms, (${lastJournalHour}) AS summed_journal_hour_ms`;

/**
 * After the beginning of an hour of use: what is booked later is noted beside it (`usage_late`), in the same transaction. Whoever
 * sums an hour of all accounts begins ten minutes after this (`server/totals/`), since clocks of machines differ and a transaction
 * takes its time. No call that its process sees to its end comes so late; those of a process that was gone do.
 */
const bookedLateMs = hourMs + 50 * 60_000;

/**
 * Whether an hour of use may have been summed already. The time alone does not tell: a clock that was ahead had hours summed that go on
 * once it is right again.
 */
export function isBookedLate(
  hour: number,
  { nowMs, summedHourMs }: Pick<BatchSnapshot, 'nowMs' | 'summedHourMs'>,
): boolean {
  return nowMs >= hour + bookedLateMs || (summedHourMs !== null && hour <= summedHourMs);
}

/**
 * What the written receipts add to the hours of their accounts. A receipt that replaces an earlier one adds the difference,
 * so the hours always sum to the receipts.
 */
export function sumUsage(
  written: readonly CallRecordRow[],
  earlier: ReadonlyMap<string, CallRecordRow>,
): readonly UsageHourRow[] {
  const hours = new Map<string, UsageHourRow>();
  for (const record of written) {
    addTo(hours, record, 1);
    const replaced = earlier.get(record.call_id);
    if (replaced) addTo(hours, replaced, -1);
  }
  return [...hours.values()];
}

function addTo(hours: Map<string, UsageHourRow>, record: CallRecordRow, sign: 1 | -1): void {
  const hour = findHour(hours, record);
  hour.calls += sign;
  hour.failed_calls += record.outcome === 'completed' || record.outcome === 'abandoned' ? 0 : sign;
  hour.prompt_tokens += sign * record.prompt_tokens;
  hour.completion_tokens += sign * record.completion_tokens;
  hour.charged_millicredits += sign * record.charged_millicredits;
  hour.absorbed_millicredits += sign * record.absorbed_millicredits;
  hour.told_calls += sign;
  hour.cached_tokens += sign * (record.cached_tokens ?? 0);
  hour.reasoning_tokens += sign * (record.reasoning_tokens ?? 0);
}

function findHour(hours: Map<string, UsageHourRow>, record: CallRecordRow): UsageHourRow {
  const { account_id, key_id, model, provider } = record;
  const hour_ms = record.started_at_ms - (record.started_at_ms % hourMs);
  const name = [account_id, hour_ms, key_id, model, provider].join(' ');
  const known = hours.get(name);
  if (known) return known;
  const sums = { calls: 0, failed_calls: 0, prompt_tokens: 0, completion_tokens: 0 };
  const hour = {
    account_id,
    hour_ms,
    key_id,
    model,
    provider,
    ...sums,
    charged_millicredits: 0,
    absorbed_millicredits: 0,
    told_calls: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
  };
  hours.set(name, hour);
  return hour;
}
