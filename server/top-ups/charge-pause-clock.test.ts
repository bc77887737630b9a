import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { SteppedTopUps } from '../test/stepped-top-ups.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const steps = [6 * minuteMs, 5 * hourMs, 4 * dayMs, 70 * dayMs].flatMap((ms) => [ms, -ms]);

describeOnEachDatabase('A card that is charged automatically', (openTestDatabase) => {
  let clock: FakeClock;
  let topUps: SteppedTopUps;

  beforeEach(async () => {
    clock = new FakeClock(Date.now());
    topUps = await SteppedTopUps.open(await openTestDatabase(), clock);
  });
  afterEach(() => topUps.close());

  /** One that has run for a day, as most have. */
  const startAndWatch = async () => {
    const process = await topUps.start();
    await topUps.turnOn(process, 100_000);
    for (let hour = 0; hour <= 24; hour += 1) {
      await process.purchases.topUp?.sweep();
      clock.advanceMs(hourMs);
    }
    return process;
  };

  it.each(steps)(
    'is charged once in ten minutes while the threshold is out of reach, also when the clock is set by %d ms in between',
    async (stepMs) => {
      const first = await startAndWatch();
      await topUps.putThresholdOutOfReach();
      expect(await first.topUp()).toBe(true);
      const before = topUps.countCharges();
      topUps.stepMs(stepMs);
      const second = await topUps.start();
      for (let minute = 0; minute < 10; minute += 1) {
        for (const { topUp } of [first, second, await topUps.start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(minuteMs);
      }
      expect(await first.topUp()).toBe(true);
      for (const { topUp } of [first, second, await topUps.start()]) expect(await topUp()).toBe(false);
      expect(topUps.countCharges()).toBe(before + 1);
    },
    60_000,
  );

  it.each(steps)(
    'and was declined is left alone for its hour, also when the clock is set by %d ms in between, and not for longer than two',
    async (stepMs) => {
      const first = await startAndWatch();
      await topUps.putThresholdOutOfReach();
      topUps.double.books.bank = 'declines';
      expect(await first.topUp()).toBe(true);
      const before = topUps.countCharges();
      topUps.stepMs(stepMs);
      const second = await topUps.start();
      for (let minute = 0; minute < 60; minute += 10) {
        for (const { topUp } of [first, second, await topUps.start()]) expect(await topUp()).toBe(false);
        clock.advanceMs(10 * minuteMs);
      }
      expect(topUps.countCharges()).toBe(before);
      for (let minute = 60; minute < 120 && !(await first.topUp()); minute += 10) clock.advanceMs(10 * minuteMs);
      expect(topUps.countCharges()).toBe(before + 1);
    },
    60_000,
  );

  it('is not charged again for a charge whose answer was lost, when the gateway has forgotten it and the clock is set back', async () => {
    const first = await topUps.start();
    await topUps.turnOn(first);
    const { double } = topUps;
    double.fault = 'lose-answer';
    double.beforeAnswer = async (request) => {
      if (request === 'POST /v1/payment_intents') double.isAway = true;
    };
    await expect(first.topUp()).rejects.toMatchObject({ code: 'service_unavailable' });
    double.beforeAnswer = async () => {};
    double.isAway = false;
    clock.advanceMs(25 * hourMs);
    double.forgetKeys();
    topUps.stepMs(-10 * hourMs);
    await first.purchases.topUp?.sweep();
    expect(topUps.countCharges()).toBe(1);
    expect((await topUps.fixture.findWallet(topUps.accountId)).posted).toBe(20_500_000);
  });
});
