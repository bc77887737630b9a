import { actAs } from '../audit/acting.js';
import { loadConfig } from '../config/config.js';
import { Standing } from '../database/standing.js';
import { AppError } from '../kernel/app-error.js';
import { systemClock } from '../kernel/clock.js';
import { closeInOrder } from '../kernel/jobs/close-in-order.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { databaseUrlOf, describeOnEachDatabase } from '../test/each-database.js';
import { giveSchema } from '../test/schema-template.js';
import { makeTestFolder } from '../test/test-folder.js';
import { type Core, createCore } from './create-core.js';
import { listCloseStages } from './list-close-stages.js';

describeOnEachDatabase('What the server has to bring to its end', (openTestDatabase) => {
  let core: Core;
  let drop: () => Promise<void>;
  let accountId: string;
  let people = 0;

  beforeAll(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    drop = () => database.drop();
    const settings = {
      ...{ PUBLIC_URL: 'http://tollgate.test', DATABASE_URL: databaseUrlOf(database.address) },
      ...{ SPOOL_DIR: makeTestFolder('spool'), SIGNUPS_PER_HOUR: '1000' },
    };
    core = await createCore(
      loadConfig(settings, () => null),
      silentLogger,
      systemClock,
    );
  }, 60_000);
  beforeEach(async () => {
    people += 1;
    const person = { email: `person-${people}@example.com`, password: 'four words that do not match', name: 'P' };
    const from = { address: '192.0.2.1', userAgent: null, deviceTokens: [] };
    accountId = (await core.resolverServices.accounts.signUp({ ...person, from })).account.id;
  });
  afterAll(async () => {
    await closeInOrder(listCloseStages(core.toClose), silentLogger);
    await drop();
  });

  const query = (sql: string) => core.source.query(sql);
  /** In the midst of a request whose sender may not any more. */
  const amidEnded = <Result>(work: () => Promise<Result>) => {
    const refusal = new AppError('unauthenticated', 'This session has just ended.');
    const ended = new Standing({ turn: accountId, hold: async () => {}, findRefusal: async () => refusal });
    return actAs(null, work, ended);
  };
  const listEvents = async () =>
    (await query(`SELECT kind FROM account_event WHERE account_id = '${accountId}'`)).map(
      ({ kind }: { kind: string }) => kind,
    );

  it('is not refused amid a request of somebody who was ended, as a change of theirs is', async () => {
    await expect(amidEnded(() => core.resolverServices.savedItems.list(accountId, null))).resolves.toEqual([]);
    await expect(amidEnded(() => core.resolverServices.settings.rename(accountId, 'Late'))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('is a payment that was made: its credits, and its event', async () => {
    const { service } = core.purchases;
    const { purchase } = await service.startCheckout(accountId, { dollars: 5 });
    await query('UPDATE simulated_checkout SET is_paid = 1');
    const paid = await amidEnded(() => service.confirmPurchase(accountId, purchase.id));
    expect(paid.status).toBe('paid');
    expect(await listEvents()).toContain('credits_bought');
  });

  it('is a code of a gift that was booked: its event', async () => {
    const { giftCodes } = core.resolverServices;
    const [made] = await giftCodes.create({ creditsMillicredits: toMillicredits(5_000), count: 1, expiresAtMs: null });
    const code = String(made?.code);
    await amidEnded(() => giftCodes.redeem({ accountId, address: '192.0.2.1', code }));
    expect(await listEvents()).toContain('gift_claimed');
  });

  it('is a freeze that was booked: every instance hears of it', async () => {
    const result = await amidEnded(() => core.books.setWalletState({ accountId, state: 'frozen', reason: 'operator' }));
    expect(result.status).toBe('changed');
  });

  it('is the look at a balance that was booked beside it', async () => {
    const { alerts } = core.resolverServices;
    await alerts.set(accountId, { thresholdMillicredits: toMillicredits(1_000), webhookUrl: 'https://example.com/b' });
    await core.purchases.watch.settle();
    await query(`DELETE FROM notice WHERE account_id = '${accountId}'`);
    await query(`UPDATE balance_alert SET is_armed = 1 WHERE account_id = '${accountId}'`);
    await amidEnded(async () => {
      core.purchases.watch.forget(accountId);
      await core.purchases.watch.settle();
    });
    expect(await query(`SELECT id FROM notice WHERE account_id = '${accountId}'`)).toHaveLength(1);
  });
});
