import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeOnEachDatabase } from './test/each-database.js';
import { doubleSecretKey } from './test/stripe-double.js';
import { DoubleShop } from './test/stripe-double-shop.js';

describeOnEachDatabase('npm run purchases:reconcile', (openTestDatabase) => {
  it('posts beside a running server what its webhook never heard of, and says by its status what it found', async () => {
    const database = await openTestDatabase();
    const shop = await DoubleShop.open(database);
    const account = await shop.app.createAccount(0);
    const checkout = await shop.startCheckout(account);
    shop.double.books.pay(checkout.sessionId);
    shop.double.books.refund(checkout.sessionId, 100);

    const { address } = database;
    const run = async (settings: Record<string, string>) => {
      const url = address.kind === 'sqlite' ? `sqlite:${address.file}` : address.url.reveal();
      const child = spawn(process.execPath, [join(import.meta.dirname, 'reconcile.js')], {
        env: { DATABASE_URL: url, SPOOL_DIR: mkdtempSync(join(tmpdir(), 'tollgate-spool-')), ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [output, log, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      return { status: status as number, output, log };
    };
    expect(await run(shop.double.settings)).toMatchObject({ status: 0, output: expect.stringContaining('now: 2') });
    expect(await shop.listMovements(checkout)).toEqual([5_000_000, -1_000_000]);

    const wrong = await shop.startCheckout(account);
    shop.double.books.pay(wrong.sessionId);
    Object.assign(shop.double.books.getSession(wrong.sessionId), { amount_total: 1 });
    const second = await run(shop.double.settings);
    expect(second).toMatchObject({ status: 1, output: expect.stringContaining('DOES NOT FIT') });
    expect(second.output + second.log).not.toContain(doubleSecretKey);

    shop.double.isAway = true;
    expect((await run(shop.double.settings)).status).toBe(2);
    expect((await run({})).status).toBe(2);
    shop.double.isAway = false;
    expect(await shop.listMovements(wrong)).toEqual([]);
    await shop.close();
  }, 60_000);
});
