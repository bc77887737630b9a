import { FakeClock } from '../kernel/clock.js';
import { longestLookBackMs } from '../purchases/purchase-reconciler.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { type SteppedProcess, SteppedTopUps } from '../test/stepped-top-ups.js';

const hourMs = 60 * 60_000;

describeOnEachDatabase('A charge of a saved card that has no error and is not taken', (openTestDatabase) => {
  let clock: FakeClock;
  let topUps: SteppedTopUps;
  let server: SteppedProcess;

  beforeEach(async () => {
    clock = new FakeClock(Date.UTC(2026, 0, 15));
    topUps = await SteppedTopUps.open(await openTestDatabase(), clock);
    server = await topUps.start();
    await topUps.turnOn(server, 100);
  });
  afterEach(() => topUps.close());

  const find = () => server.purchases.topUpSettings.find(topUps.accountId);
  const posted = async () => (await topUps.fixture.findWallet(topUps.accountId)).posted;

  it('is canceled where it waits for its owner, who is away, and begins anew as seldom as one that is declined', async () => {
    const { books } = topUps.double;
    books.bank = 'asks first';
    for (const pauseHours of [1, 24, 72]) {
      expect([await server.topUp(), await server.topUp()]).toEqual([true, false]);
      clock.advanceMs(pauseHours * hourMs);
    }
    expect([await server.topUp(), await server.topUp()]).toEqual([true, false]);
    expect(books.payments.map(({ status }) => status)).toEqual(Array(4).fill('canceled'));
    expect(await find()).toMatchObject({ isOn: false, failure: 'card_declined', boughtThisMonthCents: 0 });
    expect(await posted()).toBe(500_000);
  });

  it('has no second one beside it while nobody knows what its status means, and brings its credits once it is taken', async () => {
    const { double } = topUps;
    double.books.bank = 'says something new';
    double.beforeWork = async (request) => {
      if (request.endsWith('/cancel')) double.fault = 'refuse';
      return true;
    };
    expect(await server.topUp()).toBe(true);
    double.books.bank = 'accepts';
    clock.advanceMs(2 * hourMs);
    await server.purchases.topUp?.sweep();
    expect([topUps.countCharges(), await posted()]).toEqual([1, 500_000]);
    expect(await find()).toMatchObject({ isOn: true, failure: null, boughtThisMonthCents: 2_000 });
    double.books.arrive(String(double.books.payments[0]?.id));
    await server.purchases.reconciler?.run(longestLookBackMs);
    expect([topUps.countCharges(), await posted()]).toEqual([1, 20_500_000]);
  });
});
