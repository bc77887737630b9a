import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { SteppedTopUps } from '../test/stepped-top-ups.js';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('The monthly limit of the automatic top-up', (openTestDatabase) => {
  let clock: FakeClock;
  let topUps: SteppedTopUps;

  beforeEach(async () => {
    // As the ledger's rows.
    clock = new FakeClock(Date.now());
    topUps = await SteppedTopUps.open(await openTestDatabase(), clock);
  });
  afterEach(() => topUps.close());

  const start = () => topUps.start();
  const listMails = async () =>
    (await topUps.fixture.source.query("SELECT title FROM notice WHERE title LIKE '%monthly limit%'")) as unknown[];
  /** The tenth day of the month after this one, behind every row of the ledger. */
  const setToMidMonth = () => {
    const now = new Date(clock.nowMs());
    clock.setWallMs(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10));
  };

  it.each([35, 70, 400])(
    'is not passed when the clock is ahead by %d days for less than a day, also by a process that begins then',
    async (days) => {
      const first = await start();
      await topUps.turnOn(first);
      expect(await first.topUp()).toBe(true);
      await topUps.spendAll();
      topUps.stepMs(days * dayMs);
      const second = await start();
      for (let hour = 0; hour < 24; hour += 4) {
        for (const { topUp } of [first, second, await start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(4 * hourMs);
      }
      expect(topUps.countCharges()).toBe(1);
      expect(await listMails()).toHaveLength(0);
    },
    60_000,
  );

  it.each([35, 70])(
    'is not there again when the clock is set back by %d days for more than a day, and right again',
    async (days) => {
      setToMidMonth();
      const first = await start();
      await topUps.turnOn(first);
      expect(await first.topUp()).toBe(true);
      await topUps.spendAll();
      topUps.stepMs(-days * dayMs);
      for (let hour = 0; hour <= 26; hour += 2) {
        for (const { topUp } of [first, await start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(2 * hourMs);
      }
      topUps.stepMs(days * dayMs);
      for (let hour = 0; hour <= 26; hour += 2) {
        for (const { topUp } of [first, await start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(2 * hourMs);
      }
      expect(topUps.countCharges()).toBe(1);
    },
    60_000,
  );

  it('is not there again with the first month of a clock that is set back by several, for 31 days', async () => {
    setToMidMonth();
    const { topUp, ...rest } = await start();
    await topUps.turnOn({ topUp, ...rest });
    expect(await topUp()).toBe(true);
    await topUps.spendAll();
    topUps.stepMs(-100 * dayMs);
    for (let day = 0; day <= 31; day += 1) {
      expect(await topUp()).toBe(false);
      clock.advanceMs(dayMs);
    }
    expect(topUps.countCharges()).toBe(1);
  }, 60_000);

  it('counts what was charged while the clock was ahead, once it is set right, and for two months at most', async () => {
    const first = await start();
    await topUps.turnOn(first);
    topUps.stepMs(400 * dayMs);
    expect(await first.topUp()).toBe(true);
    await topUps.spendAll();
    topUps.stepMs(-400 * dayMs);
    expect(await first.topUp()).toBe(false);
    expect(await (await start()).topUp()).toBe(false);
    clock.advanceMs(25 * hourMs);
    expect(await first.topUp()).toBe(false);
    expect(topUps.countCharges()).toBe(1);
    clock.advanceMs(62 * dayMs);
    expect(await first.topUp()).toBe(true);
  });

  it('is free again with the first second of a month, where a process has watched the clock for a day', async () => {
    const first = await start();
    await topUps.turnOn(first);
    expect(await first.topUp()).toBe(true);
    await topUps.spendAll();
    expect(await first.topUp()).toBe(false);
    const now = new Date(clock.nowMs());
    const nextMonthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    // The next month's, where this one has no whole day left.
    const monthMs = nextMonthMs - clock.nowMs() > dayMs ? nextMonthMs : nextMonthMs + 31 * dayMs;
    clock.advanceMs(monthMs - clock.nowMs());
    expect(await first.topUp()).toBe(true);
    expect(topUps.countCharges()).toBe(2);
  });
});
