import { UnitOfWork } from '../database/unit-of-work.js';
import { silentLogger } from '../kernel/logger.js';
import { monthAfter, monthOf } from '../kernel/spend-period.js';
import { type CostPeriod, costInPicodollars, costKey, toCostMillicredits } from '../pricing/provider-cost.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, LedgerFixture } from '../test/ledger-fixture.js';
import { SeededChoices } from '../test/seeded-choices.js';
import { addRows } from './add-rows.js';
import { dayMs, hourMs } from './totals-hours.js';
import { TotalsSummer } from './totals-summer.js';
import { type UsageTotalsBy, UsageTotalsReader, usageTotalsBy } from './usage-totals.js';

interface Booking {
  readonly accountId: string;
  readonly model: string;
  readonly provider: string;
  readonly hour: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly charged: number;
}

const january = Date.UTC(2026, 0, 1);
const february = Date.UTC(2026, 1, 1);
const march = Date.UTC(2026, 2, 1);
const beginMs = february - 2 * dayMs;
const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? 20_261_124);

const periods: readonly CostPeriod[] = [
  { fromMs: 0, priceVersion: 0, costs: new Map([[costKey('m1', 'p1'), { input: 150_000, output: 600_000 }]]) },
  {
    fromMs: february - 10 * hourMs + 1,
    priceVersion: 3,
    costs: new Map([
      [costKey('m1', 'p1'), { input: 100_001, output: 7 }],
      [costKey('m1', 'p2'), { input: 0, output: 0 }],
      [costKey('m2', 'p1'), { input: 2_500_000, output: 10_000_000 }],
    ]),
  },
];
const periodOf = (hour: number) => periods.findLast(({ fromMs }) => fromMs <= hour);

describeOnEachDatabase('Use of all accounts', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let unitOfWork: UnitOfWork;
  let accounts: string[];
  const bookings: Booking[] = [];
  const choices = new SeededChoices(seed);
  let nowMs = beginMs;

  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    unitOfWork = fixture.unitOfWork;
    accounts = [];
    for (let n = 0; n < 14; n += 1) accounts.push((await fixture.createFundedAccount(0)).accountId);
  });
  // The hours of this suite have no receipts, so its books do not add up.
  afterAll(() => fixture.closeUnproven());

  const newSummer = (findNowMs = async () => nowMs) =>
    new TotalsSummer({
      findNowMs,
      ...{ unitOfWork, clock: { nowMs: () => nowMs }, logger: silentLogger, restPerStep: 0, accountsPerStep: 3 },
      findPriceVersionAt: async (atMs) => periodOf(atMs)?.priceVersion ?? 0,
    });
  const reader = (limits: { recentRowsMax?: number; accountHoursMax?: number; accountsPerPage?: number } = {}) =>
    new UsageTotalsReader({
      ...{ unitOfWork, ...limits },
      listCosts: async ({ fromMs, toMs }) =>
        periods.filter((period, at) => period.fromMs < toMs && (periods[at + 1]?.fromMs ?? toMs) > fromMs),
    });

  /** As the ledger does: what may be summed already is noted beside, in the same transaction. */
  async function book(hour: number): Promise<void> {
    const booking = {
      ...{ accountId: choices.oneOf(accounts), hour, charged: choices.below(4_000) },
      ...{ model: choices.oneOf(['m1', 'm2', 'm3']), provider: choices.oneOf(['p1', 'p2']) },
      ...{ promptTokens: choices.below(1_000), completionTokens: 1 + choices.below(1_000) },
    };
    bookings.push(booking);
    const row = {
      ...{
        account_id: booking.accountId,
        hour_ms: hour,
        key_id: 'key',
        model: booking.model,
        provider: booking.provider,
      },
      ...{ calls: 1, failed_calls: 0, absorbed_millicredits: 0, charged_millicredits: booking.charged },
      ...{ prompt_tokens: booking.promptTokens, completion_tokens: booking.completionTokens },
    };
    const keys = ['account_id', 'hour_ms', 'key_id', 'model', 'provider'];
    const sums = Object.keys(row).filter((column) => !keys.includes(column));
    const isLate = nowMs >= hour + hourMs + 50 * 60_000;
    await unitOfWork.transact(async (transaction) => {
      for (const table of ['usage_hour', ...(isLate ? ['usage_late'] : [])])
        await addRows(transaction, { table, keys, sums }, [row]);
    });
  }

  /** The same question of the bookings themselves, in other words. */
  function expectedOf({ fromMs, toMs }: { fromMs: number; toMs: number }, by: UsageTotalsBy) {
    const groups = new Map<string, { calls: number; charged: bigint; tokens: number; pico: bigint; unknown: number }>();
    for (const booking of bookings) {
      if (booking.hour < fromMs || booking.hour >= toMs) continue;
      const names = { ...booking, account: booking.accountId, day: new Date(booking.hour).toISOString().slice(0, 10) };
      for (const name of [names[by], 'total']) {
        const group = groups.get(name) ?? { calls: 0, charged: 0n, tokens: 0, pico: 0n, unknown: 0 };
        const cost = periodOf(booking.hour)?.costs.get(costKey(booking.model, booking.provider));
        groups.set(name, {
          calls: group.calls + 1,
          charged: group.charged + BigInt(booking.charged),
          tokens: group.tokens + booking.promptTokens + booking.completionTokens,
          pico: group.pico + (cost === undefined ? 0n : costInPicodollars(booking, cost)),
          unknown: group.unknown + (cost === undefined ? 1 : 0),
        });
      }
    }
    const found = [...groups].map(([name, { calls, charged, tokens, pico, unknown }]) => {
      const cost = toCostMillicredits(pico);
      return [
        name,
        { calls, charged, tokens, cost, callsWithoutCost: unknown, margin: unknown ? null : charged - cost },
      ];
    });
    return new Map(found as [string, object][]);
  }

  async function expectAnswers(range: { fromMs: number; toMs: number }, by: UsageTotalsBy): Promise<void> {
    const first = choices.oneOf([3, 500]);
    const expected = expectedOf(range, by);
    const { total, groups, otherGroups } = await reader({ accountsPerPage: choices.oneOf([1, 500]) }).read(
      range,
      by,
      first,
    );
    const listed = [...groups, ...(total.calls === 0 ? [] : [total])].map(
      ({ name, promptTokens, completionTokens, absorbed, ...rest }) =>
        [name, { ...rest, tokens: promptTokens + completionTokens }] as const,
    );
    for (const [name, figures] of listed) expect([name, figures]).toEqual([name, expected.get(name)]);
    expect(groups.length + otherGroups).toBe(Math.max(0, expected.size - 1));
    expect(groups.length).toBe(Math.min(first, Math.max(0, expected.size - 1)));
    const charges = groups.map(({ charged }) => charged);
    if (by === 'day') return expect(groups.map(({ name }) => name)).toEqual(groups.map(({ name }) => name).sort());
    expect(charges).toEqual(charges.toSorted((one, other) => Number(other - one)));
    // Nobody who is left out was charged more.
    const all = [...expected]
      .filter(([name]) => name !== 'total')
      .map(([, figures]) => (figures as { charged: bigint }).charged);
    expect(charges).toEqual(all.toSorted((one, other) => Number(other - one)).slice(0, charges.length));
  }

  const ranges = [
    { fromMs: january, toMs: february },
    { fromMs: february, toMs: march },
    { fromMs: february - dayMs, toMs: february + 2 * dayMs },
  ];

  it(`is what was booked, whatever of it is summed, late or being summed by two processes, seed ${seed}`, async () => {
    for (let step = 0; step < 60; step += 1) {
      nowMs += (5 + choices.below(120)) * 60_000;
      const thisHour = nowMs - (nowMs % hourMs);
      for (let n = 0; n < 8; n += 1) {
        const back = choices.oneOf([0, 0, 1, 1, 2, choices.below(60)]);
        await book(Math.max(beginMs, thisHour - back * hourMs));
      }
      if (choices.chance(40)) await Promise.all([newSummer().sumUp(), newSummer().sumUp()]);
      // Read while two processes sum, so that half of an hour may be done.
      const summing = choices.chance(40) ? [newSummer().sumUp(), newSummer().sumUp()] : [];
      await expectAnswers(choices.oneOf(ranges), choices.oneOf(usageTotalsBy));
      await expectAnswers(choices.oneOf(ranges), 'account');
      await Promise.all(summing);
    }
    for (const range of ranges) for (const by of usageTotalsBy) await expectAnswers(range, by);
    expect(await fixture.countRows('usage_late')).toBeGreaterThan(10);
    // Some seeds have accounts that nothing was booked of in February, or only in hours that were too young to be summed.
    nowMs += 3 * hourMs;
    await newSummer().sumUp();
    const used = new Set(bookings.filter(({ hour }) => hour >= february).map(({ accountId }) => accountId));
    expect(await fixture.countRows('account_month', `month_ms = ${february}`)).toBe(used.size);
  }, 120_000);

  it('with more use in the last hours than is read at once ends before them and says so; by account, other ranges are refused', async () => {
    const range = { fromMs: february, toMs: march };
    const chargedIn = (untilMs: number, by: UsageTotalsBy) =>
      [...expectedOf({ fromMs: february, toMs: untilMs }, by)].map(([name, figures]) => [
        name,
        (figures as { charged: bigint }).charged,
      ]);
    await newSummer().sumUp();
    const [mark] = await fixture.source.query('SELECT hour_ms FROM totals_mark');
    const untilMs = Number(mark.hour_ms);
    for (let n = 0; n < 3; n += 1) await book(untilMs + hourMs);
    const { groups, total, summedUntilMs } = await reader({ recentRowsMax: 1 }).read(range, 'account', 500);
    expect(summedUntilMs).toBe(untilMs);
    const known = chargedIn(untilMs, 'account').filter(([name]) => name !== 'total');
    expect(groups.map(({ name, charged }) => [name, charged]).toSorted()).toEqual(known.toSorted());
    expect(['total', total.charged]).toEqual(chargedIn(untilMs, 'account').find(([name]) => name === 'total'));
    const byModel = await reader({ recentRowsMax: 1 }).read(range, 'model', 500);
    expect([byModel.summedUntilMs, byModel.total.charged]).toEqual([untilMs, total.charged]);
    expect((await reader().read(range, 'model', 500)).total.charged).toBeGreaterThan(total.charged);
    expect((await reader().read(range, 'account', 500)).summedUntilMs).toBeNull();
    const bounded = reader({ accountHoursMax: 1 });
    const days = bounded.read({ fromMs: february, toMs: february + 9 * dayMs }, 'account', 5);
    await expect(days).rejects.toMatchObject({ code: 'invalid_value' });
    await fixture.source.query('DELETE FROM totals_mark');
    const isLater = { code: 'service_unavailable' };
    await expect(bounded.read({ fromMs: january, toMs: february }, 'account', 5)).rejects.toMatchObject(isLater);
  });

  it('sums no hour of which the ledger may still write without a note', async () => {
    nowMs = Date.UTC(2026, 3, 1, 12);
    await book(nowMs);
    const sumAt = async (atMs: number) => {
      nowMs = atMs;
      await newSummer().sumUp();
      return fixture.countRows('usage_total', `hour_ms = ${Date.UTC(2026, 3, 1, 12)}`);
    };
    expect(await sumAt(Date.UTC(2026, 3, 1, 13, 59, 59))).toBe(0);
    // Its own machine is hours ahead of the database, by whose time the ledger writes.
    nowMs = Date.UTC(2026, 3, 1, 20);
    await newSummer(async () => Date.UTC(2026, 3, 1, 13, 59, 59)).sumUp();
    expect(await fixture.countRows('usage_total', `hour_ms = ${Date.UTC(2026, 3, 1, 12)}`)).toBe(0);
    expect(await sumAt(Date.UTC(2026, 3, 1, 14))).toBe(1);
  });
});

describeOnEachDatabase('What the ledger books late', (openTestDatabase) => {
  it('stands beside its hour, and what it books in time does not', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const account = await fixture.createFundedAccount(100_000);
    const nowMs = Date.now();
    const thisHour = nowMs - (nowMs % hourMs);
    // Two hours after its beginning an hour is late at any time of this one.
    for (const [n, startedAtMs] of [thisHour + 1, thisHour - 2 * hourMs, thisHour - 2 * hourMs + 1].entries()) {
      await fixture.call(account, endingWith(10, 20), { callId: `call_${n}`, startedAtMs });
    }
    const rows = await fixture.source.query('SELECT hour_ms, calls, charged_millicredits FROM usage_late');
    const figures = rows.map((row: Record<string, unknown>) => Object.values(row).map(Number));
    expect(figures).toEqual([[thisHour - 2 * hourMs, 2, 60]]);
    expect(await fixture.countRows('usage_hour')).toBe(2);
    await fixture.close();
  });

  it.each([
    ['an hour that was summed', -1],
    ['the hour of which some accounts were summed', 0],
  ])('includes all of %s while a clock was ahead, which is right again', async (_, hoursBefore) => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const unitOfWork = new UnitOfWork(fixture.source);
    const account = await fixture.createFundedAccount(100_000);
    const nowMs = Date.now();
    const thisHour = nowMs - (nowMs % hourMs);
    const call = (callId: string) => fixture.call(account, endingWith(10, 20), { callId, startedAtMs: thisHour + 1 });
    await call('call_1');
    const summer = new TotalsSummer({
      ...{ unitOfWork, clock: { nowMs: () => nowMs }, logger: silentLogger, restPerStep: 0 },
      ...{ findNowMs: async () => thisHour + 2 * hourMs, findPriceVersionAt: async () => 0 },
    });
    await summer.sumUp();
    if (hoursBefore === 0) {
      await fixture.source.query(`UPDATE totals_mark SET hour_ms = ${thisHour}, account_id = '${account.accountId}'`);
      await fixture.source.query('DELETE FROM usage_total');
    }
    // The summer has the row of its mark locked for a moment with each account; no call waits for it.
    const writer = fixture.source.createQueryRunner();
    if (fixture.database.kind !== 'sqlite') {
      await writer.startTransaction();
      await writer.query('UPDATE totals_mark SET hour_ms = hour_ms + 1');
    }
    await call('call_2');
    if (writer.isTransactionActive) await writer.rollbackTransaction();
    await writer.release();
    await call('call_3');
    await summer.sumUp();
    const totals = new UsageTotalsReader({
      unitOfWork,
      listCosts: async () => [{ ...periods[0], fromMs: 0 } as CostPeriod],
    });
    const day = thisHour - (thisHour % dayMs);
    const month = { fromMs: monthOf(day), toMs: monthAfter(day) };
    const { total } = await totals.read({ fromMs: day, toMs: day + dayMs }, 'model', 5);
    expect([total.calls, total.charged]).toEqual([3, 90n]);
    const ofMonth = await totals.read(month, 'account', 5);
    expect(ofMonth.groups.map(({ name, calls, charged }) => [name, calls, charged])).toEqual([
      [account.accountId, 3, 90n],
    ]);
    await fixture.close();
  });
});
