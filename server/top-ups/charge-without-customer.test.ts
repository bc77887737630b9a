import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { SteppedTopUps } from '../test/stepped-top-ups.js';

describeOnEachDatabase('A charge of a saved card whose answer nobody has', (openTestDatabase) => {
  it.each([400, 404] as const)(
    'ends where Stripe has its customer no longer, and says so by %i: another card can be charged',
    async (status) => {
      const clock = new FakeClock(Date.UTC(2026, 0, 15));
      const stepped = await SteppedTopUps.open(await openTestDatabase(), clock);
      const { double, fixture } = stepped;
      double.missingStatus = status;
      const server = await stepped.start();
      await stepped.turnOn(server);
      double.isAway = true;
      await expect(server.topUp()).rejects.toMatchObject({ code: 'service_unavailable' });
      double.isAway = false;
      // Deleted there, or the key is of another account of Stripe's now.
      double.books.deleteCustomer(String(double.books.customers[0]?.id));
      clock.advanceMs(2 * 60_000);
      await server.purchases.topUp?.sweep();
      expect(await fixture.countRows('auto_top_up_charge', 'open_for IS NOT NULL')).toBe(0);
      expect(await fixture.countRows('purchase', "status = 'expired'")).toBe(1);
      expect(double.books.payments).toEqual([]);
      await stepped.turnOn(server);
      expect(await server.topUp()).toBe(true);
      expect(double.books.payments).toHaveLength(1);
      await stepped.close();
    },
  );
});
