import { setImmediate as nextTurn } from 'node:timers/promises';
import { createId, leastIdAt } from '../../kernel/ids.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { SeededChoices } from '../../test/seeded-choices.js';
import { SharedPacks } from '../sums/pack-memory.js';
import { UsageSummer } from '../sums/usage-summer.js';
import { type ExploreMetric, type ExploreQuestion, Explorer } from './explore.js';
import type { ExploreCell } from './explore-cells.js';
import type { UsageDimension } from './usage-report.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstDay = Date.UTC(2026, 4, 1);
const daysBefore = 3;
const days = 4;
const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? Math.floor(Math.random() * 1_000_000));

interface Receipt {
  readonly model: string;
  readonly provider: string;
  readonly key_id: string;
  readonly tag: string;
  readonly end_user: string;
  readonly outcome: string;
  readonly started_at_ms: number;
  readonly charged_millicredits: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly total_ms: number;
  readonly first_byte_ms: number | null;
  readonly is_streamed: boolean;
  /** Whether its provider told the two above. */
  readonly hasCached: boolean;
  readonly hasReasoning: boolean;
}

/** What each metric that is a sum asks of one receipt. */
const measures: Readonly<Record<ExploreMetric, (receipt: Receipt) => number>> = {
  cost: ({ charged_millicredits }) => charged_millicredits,
  requests: () => 1,
  times: () => 1,
  failures: ({ outcome }) => (outcome === 'completed' || outcome === 'abandoned' ? 0 : 1),
  input_tokens: ({ prompt_tokens }) => prompt_tokens,
  output_tokens: ({ completion_tokens }) => completion_tokens,
  tokens: ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens,
  cached_tokens: ({ cached_tokens }) => cached_tokens,
  reasoning_tokens: ({ reasoning_tokens }) => reasoning_tokens,
};
const metrics = Object.keys(measures) as ExploreMetric[];

const columnOf: Record<UsageDimension, keyof Receipt> = {
  ...{ model: 'model', provider: 'provider', api_key: 'key_id' },
  ...{ tag: 'tag', end_user: 'end_user', status: 'outcome' },
};
const dimensions = Object.keys(columnOf) as UsageDimension[];

/** An id as it is made at some moment. */
function idAt(epochMs: number): string {
  return leastIdAt('call', epochMs).slice(0, -16) + createId('call').slice(-16);
}

describeOnEachDatabase(`Explorer (seed ${seed})`, (openTestDatabase) => {
  const choices = new SeededChoices(seed);
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let explorer: Explorer;
  let account: { accountId: string; keyId: string };
  let receipts: Receipt[];

  beforeAll(async () => {
    explorer = new Explorer(fixture.unitOfWork);
    account = await fixture.createFundedAccount(10_000_000);
    const someoneElse = await fixture.createFundedAccount(10_000_000);
    await Promise.all(Array.from({ length: 160 }, () => makeCall(account)));
    await Promise.all(Array.from({ length: 20 }, () => makeCall(someoneElse)));
    await readReceipts();
  });

  async function readReceipts() {
    const rows = await fixture.source.query(`SELECT * FROM call_record WHERE account_id = '${account.accountId}'`);
    receipts = rows.map((row: Record<string, unknown>) => ({
      ...row,
      ...{ tag: row.tag ?? '', end_user: row.end_user ?? '' },
      ...{ started_at_ms: Number(row.started_at_ms), charged_millicredits: Number(row.charged_millicredits) },
      ...{ prompt_tokens: Number(row.prompt_tokens), completion_tokens: Number(row.completion_tokens) },
      ...{ cached_tokens: Number(row.cached_tokens), reasoning_tokens: Number(row.reasoning_tokens) },
      ...{ hasCached: row.cached_tokens !== null, hasReasoning: row.reasoning_tokens !== null },
      ...{ total_ms: Number(row.total_ms), is_streamed: Boolean(Number(row.is_streamed)) },
      first_byte_ms: row.first_byte_ms === null ? null : Number(row.first_byte_ms),
    }));
  }

  async function makeCall(by: typeof account) {
    const startedAtMs = firstDay - daysBefore * dayMs + choices.below((daysBefore + days) * dayMs);
    const callId = idAt(startedAtMs);
    const price = choices.oneOf([1, 2]);
    const provider = choices.oneOf(['demo', 'openai', 'groq']);
    const keyId = choices.chance(40) ? 'playground' : by.keyId;
    const known = { price, isStreamed: choices.chance(80), startedAtMs, provider };
    const isFree = choices.chance(15);
    const ending = {
      ...endingWith(isFree ? 0 : choices.below(9_000), isFree ? 0 : 1 + choices.below(9_000)),
      ...{ provider, firstByteMs: 100 + choices.below(100), totalMs: 300 + choices.below(5_000) },
      outcome: isFree ? ('failed' as const) : choices.oneOf(['completed', 'interrupted', 'abandoned'] as const),
      tag: choices.oneOf([null, 'shop', 'blog']),
      endUser: choices.oneOf([null, 'u-1', 'u-2', 'u-3']),
      cachedTokens: choices.oneOf([null, 0, choices.below(9_000)]),
      reasoningTokens: choices.oneOf([null, 0, choices.below(9_000)]),
    };
    await fixture.call({ ...by, keyId }, ending, { ...known, callId, heldMillicredits: 40_000 });
  }

  const ask = (changes: Partial<ExploreQuestion>, by = explorer) =>
    by.explore({
      ...{ accountId: account.accountId, fromMs: firstDay, toMs: firstDay + days * dayMs, bucket: 'day' },
      ...{ metric: 'cost', groupings: [], filter: {}, groupsMax: 50, isCompared: false },
      ...changes,
    });

  /** A plain sum over receipts, which knows nothing of hours, buckets or queries. */
  function sumPlainly(fits: (receipt: Receipt) => boolean) {
    const own = receipts.filter(fits);
    const add = (measure: (receipt: Receipt) => number) => own.reduce((sum, receipt) => sum + measure(receipt), 0);
    return {
      calls: own.length,
      failedCalls: own.filter(({ outcome }) => outcome !== 'completed' && outcome !== 'abandoned').length,
      promptTokens: add(({ prompt_tokens }) => prompt_tokens),
      completionTokens: add(({ completion_tokens }) => completion_tokens),
      chargedMillicredits: add(({ charged_millicredits }) => charged_millicredits),
      toldCalls: own.length,
      cachedTokens: add(({ cached_tokens }) => cached_tokens),
      reasoningTokens: add(({ reasoning_tokens }) => reasoning_tokens),
    };
  }
  const isIn = (fromMs: number, toMs: number) => (receipt: Receipt) =>
    receipt.started_at_ms >= fromMs && receipt.started_at_ms < toMs;
  const isThisTime = isIn(firstDay, firstDay + days * dayMs);

  /** A time to ask of, where each of its buckets begins and the last one ends, and how much earlier the time before it is. */
  interface AskedTime {
    readonly asked: Partial<ExploreQuestion>;
    readonly bounds: readonly number[];
    readonly earlierByMs: number;
  }
  const wholeDays = (): AskedTime => ({
    asked: {},
    bounds: Array.from({ length: days + 1 }, (_, day) => firstDay + day * dayMs),
    earlierByMs: days * dayMs,
  });
  /** Any time around the end of a month, exactly. Hour by hour, so that it knows nothing of how buckets are found. */
  function cutTime(): AskedTime {
    const fromMs = firstDay - choices.below(daysBefore * dayMs);
    const bucket = choices.oneOf(['hour', 'day', 'month'] as const);
    const toMs = fromMs + 1 + choices.below(bucket === 'hour' ? 30 * hourMs : firstDay + days * dayMs - fromMs);
    const letters = { hour: 13, day: 10, month: 7 }[bucket];
    const bounds = [fromMs - (fromMs % hourMs)];
    let hour = bounds[0] as number;
    const nameOf = (ms: number) => new Date(ms).toISOString().slice(0, letters);
    for (; hour < toMs; hour += hourMs) {
      if (hour !== bounds[0] && nameOf(hour) !== nameOf(hour - hourMs)) bounds.push(hour);
    }
    const lengthMs = hour - (bounds[0] as number);
    let earlierByMs = dayMs;
    while (earlierByMs < lengthMs) earlierByMs += dayMs;
    return { asked: { fromMs, toMs, bucket, isExact: true }, bounds: [...bounds, hour], earlierByMs };
  }

  /** What is measured of the answers that came in full, which are few enough for all of them to be looked at. */
  function timePlainly(fits: (receipt: Receipt) => boolean): ExploreCell['times'] {
    const own = receipts.filter((one) => fits(one) && one.outcome === 'completed');
    /** The least value that so many of 100 do not exceed. */
    const rank = (values: readonly number[], percent: number) =>
      values.length === 0
        ? null
        : Math.min(
            ...values.filter((value) => values.filter((one) => one <= value).length * 100 >= percent * values.length),
          );
    const share = (of: readonly Receipt[], part: (one: Receipt) => number, whole: (one: Receipt) => number) => {
      const [parts, all] = [part, whole].map((measure) => of.reduce((sum, one) => sum + measure(one), 0)) as [
        number,
        number,
      ];
      return all === 0 ? null : Math.round((parts * 1_000) / all) / 10;
    };
    const totals = own.map(({ total_ms }) => total_ms);
    const firstBytes = own.flatMap(({ first_byte_ms }) => first_byte_ms ?? []);
    const streamed = own.filter((one) => one.is_streamed && one.completion_tokens > 0);
    const speeds = streamed.map(
      (one) => Math.round((one.completion_tokens * 10_000) / (one.total_ms - Number(one.first_byte_ms))) / 10,
    );
    const [cached, reasoned] = [
      own.filter(({ hasCached }) => hasCached),
      own.filter(({ hasReasoning }) => hasReasoning),
    ];
    return {
      sampledCalls: own.length,
      ...{ p50Ms: rank(totals, 50), p95Ms: rank(totals, 95), p99Ms: rank(totals, 99) },
      ...{ firstByteP50Ms: rank(firstBytes, 50), firstByteP95Ms: rank(firstBytes, 95) },
      tokensPerSecond: rank(speeds, 50),
      cachedPercent: share(
        cached,
        (one) => one.cached_tokens,
        (one) => one.prompt_tokens,
      ),
      cacheHitPercent: share(
        cached,
        (one) => (one.cached_tokens > 0 ? 1 : 0),
        () => 1,
      ),
      reasoningPercent: share(
        reasoned,
        (one) => one.reasoning_tokens,
        (one) => one.completion_tokens,
      ),
    };
  }

  async function compareWithPlainSums(
    rounds: number,
    by = explorer,
    chooseTime = wholeDays,
    more: Partial<ExploreQuestion> = {},
  ) {
    for (let round = 0; round < rounds; round += 1) {
      const { asked, bounds, earlierByMs } = chooseTime();
      const [startMs, endMs] = [bounds[0] as number, bounds.at(-1) as number];
      const isThisTime = isIn(startMs, endMs);
      const isEarlier = isIn(startMs - earlierByMs, endMs - earlierByMs);
      const isInBucket = (at: number, earlier = 0) =>
        isIn((bounds[at] as number) - earlier, (bounds[at + 1] as number) - earlier);
      const groupings = chooseGroupings();
      const narrowed = dimensions.filter(() => choices.chance(20));
      const filter = Object.fromEntries(narrowed.map((dimension) => [dimension, chooseValues(dimension)]));
      const fits = (receipt: Receipt) =>
        narrowed.every((dimension) => filter[dimension]?.includes(String(receipt[columnOf[dimension]])));
      const groupsMax = choices.oneOf([2, 50]);
      const metric = choices.oneOf(metrics);
      const expectCell = (cell: ExploreCell | null | undefined, isOwn: (receipt: Receipt) => boolean) => {
        expect(cell?.sums).toEqual(sumPlainly(isOwn));
        expect(cell?.times).toEqual(metric === 'times' ? timePlainly(isOwn) : null);
      };
      const report = await ask({ ...asked, ...more, metric, groupings, filter, groupsMax, isCompared: true }, by);

      expectCell(report.total, (one) => fits(one) && isThisTime(one));
      expectCell(report.previous?.total, (one) => fits(one) && isEarlier(one));
      expect(report.starts).toEqual(bounds.slice(0, -1));
      report.buckets.forEach((cell, at) => {
        expectCell(cell, (one) => fits(one) && isInBucket(at)(one));
      });
      report.previous?.buckets.forEach((cell, at) => {
        expectCell(cell, (one) => fits(one) && isInBucket(at, earlierByMs)(one));
      });
      const named = report.groups.filter(({ values }) => values !== null);
      const isOf = (values: object, one: Receipt) =>
        Object.entries(values).every(([dimension, value]) => one[columnOf[dimension as UsageDimension]] === value);
      for (const { values, total, buckets, previous } of report.groups) {
        const isOwn = (one: Receipt) =>
          fits(one) && (values === null ? !named.some((other) => isOf(other.values ?? {}, one)) : isOf(values, one));
        expectCell(total, (one) => isOwn(one) && isThisTime(one));
        expectCell(previous, (one) => isOwn(one) && isEarlier(one));
        buckets.forEach((cell, at) => {
          expectCell(cell, (one) => isOwn(one) && isInBucket(at)(one));
        });
      }
      for (const sum of ['calls', 'promptTokens', 'chargedMillicredits', 'cachedTokens'] as const) {
        expect(report.groups.reduce((all, { total }) => all + total.sums[sum], 0)).toBe(report.total.sums[sum]);
      }
      const ranks = rankPlainly(groupings, metric, (one) => fits(one) && isThisTime(one));
      const largest = [...ranks.values()].sort((one, other) => other - one).slice(0, groupsMax);
      expect(named.map(({ values }) => ranks.get(JSON.stringify(values)))).toEqual(largest);
    }
  }

  /** None, one or two, in any order. */
  function chooseGroupings(): UsageDimension[] {
    const [first, second] = [choices.oneOf(dimensions), choices.oneOf(dimensions)];
    return [...new Set(choices.chance(15) ? [] : choices.chance(35) ? [first] : [first, second])];
  }

  /** One that occurs, or several, one of which may not. */
  function chooseValues(dimension: UsageDimension): string[] {
    const one = () => String(choices.oneOf(receipts)[columnOf[dimension]]);
    return choices.chance(60) ? [one()] : [one(), one(), choices.chance(30) ? 'that none has' : one()];
  }

  /** Each group that has any receipt, by its values, with what it has of a metric. */
  function rankPlainly(groupings: UsageDimension[], metric: ExploreMetric, fits: (receipt: Receipt) => boolean) {
    const ranks = new Map<string, number>();
    for (const one of receipts.filter(fits)) {
      const name = JSON.stringify(Object.fromEntries(groupings.map((by) => [by, one[columnOf[by]]])));
      ranks.set(name, (ranks.get(name) ?? 0) + measures[metric](one));
    }
    return ranks;
  }

  it('sums to the millicredit and the token what a plain sum over the receipts does, divided and narrowed by anything', async () => {
    await compareWithPlainSums(30);
  });

  it('sums the same where it reads the buckets of the largest groups alone, as of hundreds of groups', async () => {
    await compareWithPlainSums(30, new Explorer(fixture.unitOfWork, new SharedPacks(), 0));
  });

  it('sums exactly the hours of a time that cuts months and days, and of the same hours before, in buckets of any length', async () => {
    await compareWithPlainSums(30, explorer, cutTime);
    await compareWithPlainSums(10, new Explorer(fixture.unitOfWork, new SharedPacks(), 0), cutTime);
  });

  it('has the same total in hours, days and months, and the time before ends where whole days begin', async () => {
    const asked = { fromMs: firstDay - dayMs, toMs: firstDay + dayMs, isExact: true, isCompared: true } as const;
    const own = sumPlainly(isIn(asked.fromMs, asked.toMs));
    const before = sumPlainly(isIn(asked.fromMs - 2 * dayMs, asked.fromMs));
    for (const bucket of ['hour', 'day', 'month'] as const) {
      const { total, previous } = await ask({ ...asked, bucket });
      expect([total.sums, previous?.total.sums]).toEqual([own, before]);
      expect(previous?.fromMs).toBe(asked.fromMs - 2 * dayMs);
    }
  });

  it('has groups that add up to the total, and none below zero, while calls are booked', async () => {
    const busy = await fixture.createFundedAccount(10_000_000);
    const ofLargest = new Explorer(fixture.unitOfWork, new SharedPacks(), 0);
    const booking = Promise.all(Array.from({ length: 40 }, () => makeCall(busy)));
    let isBooked = false;
    void booking.finally(() => {
      isBooked = true;
    });
    while (!isBooked) {
      // SQLite answers within the turn, and would let nobody book.
      await nextTurn();
      const asked = { accountId: busy.accountId, groupings: ['tag', 'model'], groupsMax: 2 } as const;
      const { total, groups } = await ask(asked, ofLargest);
      for (const sum of ['calls', 'chargedMillicredits', 'promptTokens'] as const) {
        expect(groups.reduce((all, group) => all + group.total.sums[sum], 0)).toBe(total.sums[sum]);
        for (const { buckets } of groups) for (const { sums } of buckets) expect(sums[sum]).toBeGreaterThanOrEqual(0);
      }
    }
    await booking;
  });

  it('sums the same once hours and days were summed before, and after calls that were booked later', async () => {
    const summer = new UsageSummer({
      ...{ unitOfWork: fixture.unitOfWork, logger: silentLogger, busyCalls: 2, restPerSet: 0 },
      clock: { nowMs: () => firstDay + (days + 1) * dayMs },
    });
    await summer.sumUp();
    const sets = await countSets();
    expect(sets[hourMs]).toBeGreaterThan(0);
    expect(sets[dayMs]).toBeGreaterThan(0);
    await compareWithPlainSums(20);
    await compareWithPlainSums(15, explorer, cutTime);
    await Promise.all(Array.from({ length: 10 }, () => makeCall(account)));
    await readReceipts();
    await compareWithPlainSums(20);
    await compareWithPlainSums(10, explorer, cutTime);
    await compareWithPlainSums(20, new Explorer(fixture.unitOfWork, new SharedPacks(), 0));
  });

  async function countSets(): Promise<Readonly<Record<number, number>>> {
    const rows: readonly { span_ms: number; sets: unknown }[] = await fixture.source.query(
      `SELECT span_ms, COUNT(*) AS sets FROM usage_set WHERE account_id = '${account.accountId}' GROUP BY span_ms`,
    );
    return Object.fromEntries(rows.map(({ span_ms, sets }) => [span_ms, Number(sets)]));
  }

  it('says that cached and reasoned tokens are not known of a time with an hour that the release before wrote in', async () => {
    const old = await fixture.createFundedAccount(10_000_000);
    await makeCall(old);
    const own = { accountId: old.accountId, fromMs: firstDay - daysBefore * dayMs };
    const known = await ask(own);
    expect(known.total.sums).toMatchObject({ calls: 1, toldCalls: 1 });
    // It knows none of these columns; and what this release adds to its rows makes them no better known.
    await fixture.source.query(
      `UPDATE usage_hour SET told_calls = NULL, cached_tokens = NULL, reasoning_tokens = NULL WHERE account_id = '${old.accountId}'`,
    );
    for (let count = 0; count < 5; count += 1) await makeCall(old);
    for (const groupings of [[], ['model'], ['tag'], ['end_user', 'status']] as const) {
      const { total, buckets } = await ask({ ...own, groupings });
      expect(total.sums).toMatchObject({ calls: 6 });
      expect(total.sums.toldCalls).toBeLessThan(6);
      expect(buckets.filter(({ sums }) => sums.toldCalls < sums.calls)).toHaveLength(1);
    }
    // All of the days that were asked of above are the time before these.
    const endMs = firstDay + days * dayMs;
    const later = { fromMs: endMs, toMs: endMs + (daysBefore + days) * dayMs, isCompared: true };
    for (const groupings of [['model'], ['tag'], ['end_user', 'status']] as const) {
      const { previous } = await ask({ ...own, ...later, groupings });
      expect(previous?.total.sums).toMatchObject({ calls: 6 });
      expect(previous?.total.sums.toldCalls).toBeLessThan(previous?.total.sums.calls ?? 0);
    }
  });

  it('compares with as many buckets before, months of the calendar among them', async () => {
    const months = await ask({ bucket: 'month', fromMs: firstDay, toMs: firstDay + dayMs, isCompared: true });
    expect(months.starts).toEqual([firstDay]);
    expect(months.previous?.fromMs).toBe(Date.UTC(2026, 3, 1));
    expect(months.previous?.total.sums).toEqual(sumPlainly((one) => !isThisTime(one)));
    expect((await ask({})).previous).toBeNull();
  });

  it('tells times, cached and reasoned shares of calls that were answered in full, by the same division', async () => {
    const now = await fixture.createFundedAccount(1_000_000);
    const startedAtMs = Date.now();
    for (const [totalMs, outcome, parts] of [
      [1_100, 'completed', { cachedTokens: 3, reasoningTokens: 30 }],
      [2_100, 'completed', { cachedTokens: 0 }],
      [9_000, 'interrupted', { cachedTokens: 9, reasoningTokens: 90 }],
    ] as const) {
      const ending = { ...endingWith(10, 100), ...parts, firstByteMs: 100, totalMs, outcome, tag: 'timed' };
      await fixture.call(now, ending, { isStreamed: true, startedAtMs });
    }
    const span = {
      fromMs: startedAtMs - dayMs,
      toMs: startedAtMs + 1,
      accountId: now.accountId,
      metric: 'times',
    } as const;
    const report = await ask({ ...span, groupings: ['tag'], isCompared: true });
    const times = {
      ...{ sampledCalls: 2, p50Ms: 1_100, p95Ms: 2_100, p99Ms: 2_100 },
      ...{ firstByteP50Ms: 100, firstByteP95Ms: 100, tokensPerSecond: 50 },
      ...{ cachedPercent: 15, cacheHitPercent: 50, reasoningPercent: 30 },
    };
    expect(report.total.times).toEqual(times);
    expect(report.groups.map(({ values, total }) => [values, total.times])).toEqual([[{ tag: 'timed' }, times]]);
    expect(report.buckets.map(({ times: own }) => own?.sampledCalls)).toEqual([0, 2]);
    expect(report.previous?.total.times?.p50Ms).toBeNull();
    expect(report.areTimesPartial).toBe(false);
    expect((await ask({ ...span, filter: { tag: ['another'] } })).total.times?.sampledCalls).toBe(0);
    expect((await ask({ ...span, filter: { api_key: [now.keyId] } })).total.times).toEqual(times);
  });

  it('refuses times of more buckets than it may look into, and a third division', async () => {
    const long = { metric: 'times', bucket: 'hour', toMs: firstDay + 9 * dayMs } as const;
    await expect(ask(long)).rejects.toMatchObject({ code: 'invalid_value', param: 'bucket' });
    const thrice = ask({ groupings: ['model', 'provider', 'api_key'] });
    await expect(thrice).rejects.toMatchObject({ param: 'groupBy' });
  });
});
