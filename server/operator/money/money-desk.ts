import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import { formatCredits } from '../../kernel/millicredits.js';
import type { JournalDay, JournalDays, JournalHours, Liability } from '../../ledger/journal/journal-hours.js';
import { dayMs } from '../../ledger/journal/journal-rows.js';
import { addSums, effectOf, type JournalKind, type JournalSums, noSums } from '../../ledger/journal/journal-sums.js';
import type { UsageTotals, UsageTotalsBy, UsageTotalsReader } from '../../totals/usage-totals.js';

/** The money of a range of days. */
export interface MoneyReport {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly opening: bigint;
  readonly sums: JournalSums;
  readonly closing: bigint;
  /** Those that have begun and are known, oldest first; the last one up to `summedUntilMs`. */
  readonly days: readonly JournalDay[];
  /** null: all of it is there; else up to this time, for which the sums and `closing` are true. */
  readonly summedUntilMs: number | null;
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

const daysMax = 92;

// The signs of the columns are such that each line adds up to its closing.
const closeColumns: readonly (readonly [string, JournalKind])[] = [
  ['sales', 'sales'],
  ['gifts', 'gifts'],
  ['grants', 'grants'],
  ['refunds', 'refunds'],
  ['refunds_returned', 'refundsReturned'],
  ['disputes', 'disputes'],
  ['disputes_returned', 'disputesReturned'],
  ['added', 'added'],
  ['taken_back', 'takenBack'],
  ['usage', 'charged'],
];

/** What operators read of the money: all of it by the journal, to the millicredit. It changes nothing. */
export class MoneyDesk {
  constructor(
    private readonly journal: Pick<JournalHours, 'listDays' | 'listWholeDays' | 'findLiability'>,
    private readonly usage: Pick<UsageTotalsReader, 'read'>,
  ) {}

  /**
   * At once: where much was moved in the hours that are not summed yet, it ends before them.
   * @param range Widened to whole days in UTC; at most 92 of them.
   * @throws InvalidInputError for another range.
   */
  report(range: Range): Promise<MoneyReport> {
    return this.#report(range, (fromMs, toMs) => this.journal.listDays(fromMs, toMs));
  }

  async #report(range: Range, list: (fromMs: number, toMs: number) => Promise<JournalDays>): Promise<MoneyReport> {
    const { fromMs, toMs } = toDays(range);
    const { days, opening, summedUntilMs } = await list(fromMs, toMs);
    if (days.length === 0 && summedUntilMs === null) {
      throw new InvalidInputError('from', 'Ask for days that have begun.');
    }
    const sums = days.reduce((total, day) => addSums(total, day.sums), noSums);
    return { fromMs, toMs, opening, sums, closing: days.at(-1)?.closing ?? opening, days, summedUntilMs };
  }

  /** What is owed to customers: now, or with much that is not summed yet at the end of the last hour that is. */
  findLiability(): Promise<Liability> {
    return this.journal.findLiability();
  }

  /** What all accounts used. @param first How many groups: 1 to 500. @throws as `report`. */
  async readUsage(range: Range, by: UsageTotalsBy, first: number): Promise<UsageTotals> {
    if (first < 1 || first > 500) throw new InvalidInputError('first', 'Ask for 1 to 500.');
    return this.usage.read(toDays(range), by, first);
  }

  /**
   * A month's close: one line for each of its days and one for all of them, each from opening to closing liability, in credits with
   * three decimals. A month that is not over ends with today. `absorbed` moves no wallet, and is in no sum. It is exact and whole: of a
   * month that is not over, or over for less than a quarter of an hour, it reads every row that is not summed, which may take seconds.
   * @param month As `2026-01`. @throws InvalidInputError for another text, or a month that has not begun; AppError `service_unavailable`
   *   while more hours of it are to be summed than a second is enough for, as after an upgrade.
   */
  async writeClose(month: string): Promise<string> {
    const { days, opening, closing, sums, summedUntilMs } = await this.#report(toMonth(month), (fromMs, toMs) =>
      this.journal.listWholeDays(fromMs, toMs),
    );
    if (summedUntilMs !== null) {
      const words = 'The hours of this month are being summed, once. Ask again in a minute.';
      throw new AppError('service_unavailable', words, { retryAfterMs: 60_000 });
    }
    const header = ['day', 'opening', ...closeColumns.map(([name]) => name), 'closing', 'absorbed'];
    const lines = days.map((day) => writeLine(new Date(day.dayMs).toISOString().slice(0, 10), day));
    return [header.join(','), ...lines, writeLine('total', { opening, closing, sums }), ''].join('\r\n');
  }
}

/** The range of a month. @param month As `2026-01`. @throws InvalidInputError */
export function toMonth(month: string): Range {
  const [, year = '', number = ''] = /^(20\d{2})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === '') throw new InvalidInputError('month', 'Write the month as 2026-01.');
  return { fromMs: Date.UTC(Number(year), Number(number) - 1), toMs: Date.UTC(Number(year), Number(number)) };
}

function toDays({ fromMs, toMs }: Range): Range {
  const from = Math.floor(fromMs / dayMs) * dayMs;
  const to = Math.ceil(toMs / dayMs) * dayMs;
  if (from < 0 || from >= to) throw new InvalidInputError('to', 'The range ends before it begins.');
  if (to - from > daysMax * dayMs) throw new InvalidInputError('to', `Ask for at most ${daysMax} days.`);
  return { fromMs: from, toMs: to };
}

function writeLine(name: string, { opening, closing, sums }: Pick<JournalDay, 'opening' | 'closing' | 'sums'>): string {
  const moved = closeColumns.map(([, kind]) => effectOf[kind] * sums[kind]);
  const figures = [opening, ...moved, closing, sums.absorbed];
  if (moved.reduce((sum, amount) => sum + amount, opening) !== closing) {
    throw new AppError('internal_error', 'A line of the close does not add up.');
  }
  return [name, ...figures.map(formatCredits)].join(',');
}
