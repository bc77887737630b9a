import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { type SteppedProcess, SteppedTopUps } from '../../test/stepped-top-ups.js';

const dayMs = 24 * 60 * 60_000;
const terms = { askedBy: 'op_1', aloneMaxMillicredits: 100_000_000, lock: async () => {}, note: async () => {} };

describeOnEachDatabase('What moves money at Stripe, over which a machine slept for days', (openTestDatabase) => {
  let topUps: SteppedTopUps;
  let server: SteppedProcess;

  beforeEach(async () => {
    topUps = await SteppedTopUps.open(await openTestDatabase(), new FakeClock(Date.UTC(2026, 0, 15)));
    server = await topUps.start();
    await topUps.turnOn(server, 100);
  });
  afterEach(() => topUps.close());

  /** Stripe does it; its answer is lost, and Stripe’s library sends it again when the machine wakes. */
  const sleepOver = async (work: () => Promise<unknown>) => {
    const { clock, double } = topUps;
    double.fault = 'lose-answer';
    double.beforeAnswer = async () => {
      clock.advanceMs(3 * dayMs);
      double.forgetKeys();
    };
    await expect(work()).rejects.toMatchObject({ code: 'service_unavailable' });
    double.beforeAnswer = async () => {};
  };
  const posted = async () => (await topUps.fixture.findWallet(topUps.accountId)).posted;

  it('is a charge that is made once, and found', async () => {
    await sleepOver(() => server.topUp());
    expect([topUps.countCharges(), await posted()]).toEqual([1, 500_000]);
    await server.purchases.topUp?.sweep();
    expect([topUps.countCharges(), await posted()]).toEqual([1, 20_500_000]);
  });

  it('is a refund that is made once, and found', async () => {
    await server.topUp();
    const { refunds } = server.purchases;
    const [purchase] = await topUps.fixture.source.query('SELECT id FROM purchase');
    const { id } = await refunds.place({ purchaseId: purchase.id, cents: 100, reason: 'A letter' }, terms);
    await sleepOver(() => refunds.carryOut(id));
    expect([topUps.double.books.refunds.length, await posted()]).toEqual([1, 20_500_000]);
    await refunds.resume();
    expect([topUps.double.books.refunds.length, await posted()]).toEqual([1, 19_500_000]);
    expect(await refunds.getOrder(id)).toMatchObject({ state: 'done' });
  });
});
