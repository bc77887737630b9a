import { describeOnEachDatabase } from '../test/each-database.js';
import { runProgram } from '../test/run-program.js';
import { doubleSecretKey } from '../test/stripe-double.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

describeOnEachDatabase('npm run purchases:reconcile', (openTestDatabase) => {
  it('posts beside a running server what its webhook never heard of, and says by its status what it found', async () => {
    const database = await openTestDatabase();
    const shop = await DoubleShop.open(database);
    const account = await shop.app.createAccount(0);
    const checkout = await shop.startCheckout(account);
    shop.double.books.pay(checkout.sessionId);
    shop.double.books.refund(checkout.sessionId, 100);

    const run = (settings: Record<string, string>) => runProgram('reconcile.js', database.address, { settings });
    expect(await run(shop.double.settings)).toMatchObject({ exitCode: 0, output: expect.stringContaining('now: 2') });
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -1_000_000]);

    const wrong = await shop.startCheckout(account);
    shop.double.books.pay(wrong.sessionId);
    Object.assign(shop.double.books.getSession(wrong.sessionId), { amount_total: 1 });
    const second = await run(shop.double.settings);
    expect(second).toMatchObject({ exitCode: 1, output: expect.stringContaining('DOES NOT FIT') });
    expect(second.output + second.log).not.toContain(doubleSecretKey);

    shop.double.isAway = true;
    expect((await run(shop.double.settings)).exitCode).toBe(2);
    expect((await run({})).exitCode).toBe(2);
    shop.double.isAway = false;
    expect(await shop.listMovements(wrong)).toEqual([]);
    await shop.close();
  }, 60_000);
});
