import { TestApp } from '../../test/create-test-app.js';
import { describeOnMysql } from '../../test/each-database.js';
import { DoubleShop } from '../../test/stripe-double-shop.js';

const deliveriesCount = 50;

describeOnMysql('four servers on one database', (openTestDatabase) => {
  it('book fifty parallel deliveries of one event once, then its refund once', async () => {
    const database = await openTestDatabase();
    const shop = await DoubleShop.open(database);
    const others = await Promise.all(
      Array.from({ length: 3 }, () => TestApp.startBeside(database, shop.double.settings)),
    );
    const servers = [shop.app, ...others].map(({ baseUrl }) => baseUrl);
    const account = await shop.app.createAccount(0);
    const checkout = await shop.startCheckout(account);

    const deliverToAll = async (event: Parameters<DoubleShop['deliver']>[0]) => {
      // A server that loses its deadlocks too often answers 503, and Stripe delivers again.
      const deliver = async (server: string): Promise<number> => {
        const { status } = await shop.double.deliver(event, server);
        return status === 503 ? deliver(server) : status;
      };
      const deliveries = Array.from({ length: deliveriesCount }, (_, place) =>
        deliver(String(servers[place % servers.length])),
      );
      return new Set(await Promise.all(deliveries));
    };
    const { books } = shop.double;
    expect(await deliverToAll(books.pay(checkout.sessionId))).toEqual(new Set([200]));
    expect(await shop.listMovements(checkout)).toEqual([5_000_000]);
    expect(await shop.app.query('SELECT id FROM ledger_transfer')).toHaveLength(1);
    expect(await deliverToAll(books.refund(checkout.sessionId, 200))).toEqual(new Set([200]));
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -2_000_000]);
    expect(await shop.app.query('SELECT id FROM stripe_event')).toHaveLength(2);
    expect(await shop.listQuarantined()).toEqual([]);

    for (const other of others) await other.close();
    await shop.close();
  }, 60_000);
});
