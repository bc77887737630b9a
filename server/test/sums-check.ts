import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError } from '../kernel/app-error.js';
import { JournalHours } from '../ledger/journal/journal-hours.js';
import { LedgerReader, type StatementEntry } from '../ledger/ledger-reader.js';
import { type UsageTotalsBy, UsageTotalsReader, usageTotalsBy } from '../totals/usage-totals.js';
import { type UsageDimension, type UsageQuestion, UsageReporter } from '../usage/reports/usage-report.js';
import { type JournalRow, type Receipt, readJournal, readReceipts } from './plain-books.js';
import type { SumsRun } from './sums-run.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const pageLines = 200;

/** [calls, tokens of questions, tokens of answers, millicredits charged, absorbed] */
type Sums = readonly [number, number, number, number, number];
const noSums: Sums = [0, 0, 0, 0, 0];

/** What everybody who tells of use should tell: plain sums over all receipts and rows, with no idea of hours, sets, packs or leases. */
export class SumsCheck {
  readonly counts: Record<string, number> = {};
  #faults: string[] = [];
  #receipts: readonly Receipt[] = [];
  #journal: readonly JournalRow[] = [];

  constructor(private readonly run: SumsRun) {}

  /** @param isThorough Whether of all accounts, and not of one. @returns what does not agree, in words. */
  async findFaults(wanted: { readonly isThorough: boolean }): Promise<readonly string[]> {
    for (;;) {
      const faults = await this.#findFaults(wanted);
      // Leases are given back in the background, and what was read on both sides of that does not agree.
      const isSame = (await readJournal(this.run.fixture.source)).length === this.#journal.length;
      if (faults.length === 0 || isSame) return faults;
    }
  }

  async #findFaults({ isThorough }: { readonly isThorough: boolean }): Promise<readonly string[]> {
    this.#faults = [];
    await this.#read();
    this.#checkAnswers();
    const all = [...new Set(this.run.accounts.map(({ accountId }) => accountId))];
    for (const accountId of isThorough ? all : [this.run.choices.oneOf(all)]) {
      await this.#checkWallet(accountId);
      await this.#checkStatement(accountId);
      for (const dimensions of [['model', 'api_key'], ['provider'], ['tag', 'status'], ['end_user']] as const) {
        await this.#checkReport(accountId, dimensions);
      }
    }
    for (const by of isThorough ? usageTotalsBy : [this.run.choices.oneOf(usageTotalsBy)]) await this.#checkTotals(by);
    await this.#checkJournal();
    return this.#faults;
  }

  #expect(what: string, told: unknown, expected: unknown): void {
    const name = String(what.split(' ')[0]);
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    if (!isDeepStrictEqual(told, expected)) {
      this.#faults.push(`${what}: ${stringify(told)} instead of ${stringify(expected)}`);
    }
  }

  async #read(): Promise<void> {
    const { source } = this.run.fixture;
    this.#receipts = await readReceipts(source, this.run.archive.values());
    this.#journal = await readJournal(source);
  }

  /** Each call was charged what was answered, and has one receipt for ever. */
  #checkAnswers(): void {
    const charged = new Map(this.#receipts.map((receipt) => [receipt.callId, receipt.charged]));
    const wrong = [...this.run.charged]
      .filter(([callId, amount]) => charged.get(callId) !== amount)
      .map((told) => [...told, charged.get(told[0]) ?? 'no receipt']);
    this.#expect('answers', wrong.slice(0, 3), []);
  }

  async #checkWallet(accountId: string): Promise<void> {
    const moved = sum(this.run.moves.filter((move) => move.accountId === accountId).map(({ amount }) => amount));
    const charged = sum(this.#receiptsOf(accountId).map((receipt) => receipt.charged));
    const { availableMillicredits, heldMillicredits } = await this.#statements.findBalance(accountId);
    this.#expect(`wallet of ${accountId}`, availableMillicredits + heldMillicredits, moved - charged);
  }

  async #checkStatement(accountId: string): Promise<void> {
    const all = this.#journal.filter(({ wallet }) => wallet === accountId);
    const rows = all.filter(({ effect }) => effect !== 0);
    const whole = await this.#listLines(accountId, {});
    const amounts = whole.map(({ amountMillicredits }) => Number(amountMillicredits));
    this.#expect('statement in all', sum(amounts), sum(rows.map(({ effect }) => effect)));
    let balance = 0;
    for (const line of whole.toReversed()) {
      balance += line.amountMillicredits;
      if (Number(line.balanceAfterMillicredits) !== balance) this.#expect(`statement at ${line.id}`, line, balance);
    }
    const used = sum(amounts.filter((_, at) => whole[at]?.type === 'usage'));
    const [row] = await this.run.fixture.source.query(
      `SELECT COALESCE(SUM(l.spent), 0) AS spent FROM wallet_lease l WHERE l.wallet = '${accountId}' AND l.state <> 'ended'`,
    );
    const charged = sum(this.#receiptsOf(accountId).map((receipt) => receipt.charged));
    this.#expect('statement of use', Number(row.spent) - used, charged);
    // Of a time it is found by halving, which is right while no clock is set by more than a day.
    let latestMs = 0;
    for (const { atMs } of all) {
      if (atMs < latestMs - dayMs) return;
      latestMs = Math.max(latestMs, atMs);
    }
    const { fromMs, toMs } = this.#chooseDays(40);
    const some = await this.#listLines(accountId, { fromMs, toMs });
    this.#expect(
      `statement of ${accountId} from ${at(fromMs)} to ${at(toMs)}`,
      some.map((line) => line.amountMillicredits).reverse(),
      rows.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ effect }) => effect),
    );
  }

  async #listLines(accountId: string, filter: { fromMs?: number; toMs?: number }): Promise<readonly StatementEntry[]> {
    const lines: StatementEntry[] = [];
    for (let hasNextPage = true; hasNextPage; ) {
      const beforeSeq = lines.at(-1)?.walletSeq ?? null;
      const page = await this.#statements.listStatement(accountId, { first: pageLines, beforeSeq, filter });
      lines.push(...page.items);
      hasNextPage = page.hasNextPage;
    }
    return lines;
  }

  async #checkReport(accountId: string, groupings: readonly UsageDimension[]): Promise<void> {
    const bucket = this.run.choices.oneOf(['hour', 'day', 'day', 'month'] as const);
    const { fromMs, toMs } = this.#chooseDays(bucket === 'hour' ? 3 : bucket === 'day' ? 50 : 200);
    const question: UsageQuestion = { accountId, fromMs, toMs, bucket, groupings };
    const report = await new UsageReporter(this.run.unitOfWork).report(question).catch(orRefusal);
    if (report === null) return this.#expect('removed', this.#isRemoved(question), true);
    const what = `report by ${groupings} of ${accountId} by the ${bucket} from ${at(fromMs)} to ${at(toMs)}`;
    const starts = report.buckets.map(({ startMs }) => startMs);
    const expected = new Map<string, Sums>();
    const bucketOf = (atMs: number) => starts.findLastIndex((startMs) => startMs <= atMs);
    const endMs =
      bucket === 'month' ? monthAfter(starts.at(-1) ?? 0) : (starts.at(-1) ?? 0) + (bucket === 'day' ? dayMs : hourMs);
    for (const receipt of this.#receiptsOf(accountId)) {
      if (receipt.startedAtMs < (starts[0] ?? 0) || receipt.startedAtMs >= endMs) continue;
      const values = groupings.map((name) => receipt[name]).join(' ');
      add(expected, `${values} @${bucketOf(receipt.startedAtMs)}`, receipt);
    }
    const told = new Map<string, Sums>();
    for (const group of report.groups) {
      const values = groupings.map((name) => group.values[name]).join(' ');
      for (const [index, of] of group.buckets.entries()) {
        if (of.calls > 0)
          told.set(`${values} @${index}`, [of.calls, of.promptTokens, of.completionTokens, of.chargedMillicredits, 0]);
      }
    }
    this.#expect(what, sorted(told), sorted(withoutAbsorbed(expected)));
  }

  /** Whether receipts of the months that a report is about were removed because of their age. */
  #isRemoved({ accountId, fromMs, toMs }: UsageQuestion): boolean {
    return [...this.run.archive.values()].some((receipt) => {
      const monthMs = monthOf(receipt.startedAtMs);
      // The time of a report begins and ends with its buckets.
      return receipt.accountId === accountId && monthAfter(monthMs) > monthOf(fromMs) && monthMs < monthAfter(toMs);
    });
  }

  async #checkTotals(by: UsageTotalsBy): Promise<void> {
    const isMonth = this.run.choices.chance(50);
    const days = this.#chooseDays(60);
    const range = isMonth ? { fromMs: monthOf(days.fromMs), toMs: monthAfter(days.fromMs) } : days;
    const reader = new UsageTotalsReader({
      unitOfWork: this.run.unitOfWork,
      listCosts: async () => [{ fromMs: 0, priceVersion: 0, costs: new Map() }],
    });
    const { groups, total, summedUntilMs } = await reader.read(range, by, 500);
    const expected = new Map<string, Sums>();
    for (const receipt of this.#receipts) {
      if (receipt.startedAtMs < range.fromMs || receipt.startedAtMs >= range.toMs) continue;
      const names = { ...receipt, account: receipt.accountId, day: at(receipt.startedAtMs).slice(0, 10) };
      for (const name of [names[by], 'total']) add(expected, name, receipt);
    }
    const toSums = (one: typeof total): Sums => [
      one.calls,
      one.promptTokens,
      one.completionTokens,
      Number(one.charged),
      Number(one.absorbed),
    ];
    const told = new Map(groups.filter(({ calls }) => calls > 0).map((group) => [group.name, toSums(group)]));
    if (total.calls > 0) told.set('total', toSums(total));
    this.#expect(
      `totals by ${by} from ${at(range.fromMs)} to ${at(range.toMs)}`,
      [sorted(told), summedUntilMs],
      [sorted(expected), null],
    );
  }

  async #checkJournal(): Promise<void> {
    const { clock, choices, unitOfWork, moves } = this.run;
    const options = { findNowMs: async () => clock.nowMs(), ...(choices.chance(50) ? { recentRowsMax: 0 } : {}) };
    const hours = new JournalHours(unitOfWork, clock, options);
    const { fromMs, toMs } = this.#chooseDays(60);
    const { opening, days, summedUntilMs } = await hours.listDays(fromMs, toMs);
    const until = (ms: number) => sum(this.#journal.filter(({ atMs }) => atMs < ms).map(({ effect }) => effect));
    const what = `journal from ${at(fromMs)} to ${at(toMs)}, known until ${summedUntilMs}`;
    const knownMs = summedUntilMs ?? Number.POSITIVE_INFINITY;
    this.#expect(`${what}, opening`, Number(opening), until(Math.min(fromMs, knownMs)));
    const closings = days.map((day) => Number(day.closing));
    this.#expect(
      what,
      closings,
      days.map(({ dayMs: begin }) => until(Math.min(begin + dayMs, knownMs))),
    );
    const liability = await hours.findLiability();
    const owed = sum(moves.map(({ amount }) => amount)) - sum(this.#receipts.map(({ charged }) => charged));
    if (liability.summedUntilMs === null) this.#expect('liability', Number(liability.total), owed);
    else this.#expect('liability before', Number(liability.total), until(liability.summedUntilMs));
  }

  get #statements(): LedgerReader {
    return new LedgerReader(this.run.unitOfWork);
  }

  #receiptsOf(accountId: string): readonly Receipt[] {
    return this.#receipts.filter((receipt) => receipt.accountId === accountId);
  }

  /** Some days around now, or around any call. */
  #chooseDays(most: number): { fromMs: number; toMs: number } {
    const { choices, clock } = this.run;
    const around =
      choices.chance(50) || this.#receipts.length === 0 ? clock.nowMs() : choices.oneOf(this.#receipts).startedAtMs;
    const fromMs = Math.floor(around / dayMs) * dayMs - choices.below(most) * dayMs;
    return { fromMs, toMs: fromMs + (1 + choices.below(most)) * dayMs };
  }
}

function add(groups: Map<string, Sums>, name: string, receipt: Receipt): void {
  const [calls, prompt, completion, charged, absorbed] = groups.get(name) ?? noSums;
  groups.set(name, [
    ...([calls + 1, prompt + receipt.prompt, completion + receipt.completion] as const),
    ...([charged + receipt.charged, absorbed + receipt.absorbed] as const),
  ]);
}

function withoutAbsorbed(groups: ReadonlyMap<string, Sums>): Map<string, Sums> {
  return new Map(
    [...groups].map(([name, [calls, prompt, completion, charged]]) => [name, [calls, prompt, completion, charged, 0]]),
  );
}

function sorted(groups: ReadonlyMap<string, Sums>): readonly (readonly [string, Sums])[] {
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function orRefusal(error: unknown): null {
  if (error instanceof InvalidInputError && error.message.includes('are kept as sums')) return null;
  throw error;
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)).slice(0, 900);
}

const at = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

function monthOf(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function monthAfter(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
