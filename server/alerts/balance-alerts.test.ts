import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';

describeOnEachDatabase('the low-balance alert', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let purchases: Purchases;
  let accountId: string;
  let grants = 0;
  let email: string | null;
  let isAway: boolean;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    email = 'owner@example.com';
    isAway = false;
    purchases = open();
    accountId = (await fixture.createFundedAccount(5_000)).accountId;
  });

  afterEach(async () => {
    await purchases.watch.close();
    await fixture.close();
  });

  const findEmail = async () => {
    if (isAway) throw new Error('The database is away.');
    return email;
  };
  const open = (isProduction = false) =>
    openPurchases(
      { ...makePurchasesParts(fixture, new FakeClock()), findEmail },
      {
        publicUrl: 'http://tollgate.test',
        isProduction,
        stripe: null,
      },
    );
  const set = (change: object = {}) =>
    purchases.alerts.set(accountId, {
      thresholdMillicredits: 2_000,
      isByEmail: true,
      webhookUrl: 'https://example.com/hook',
      ...change,
    });
  const book = async (millicredits: number) => {
    grants += 1;
    const amountMillicredits = toMillicredits(Math.abs(millicredits));
    const movement = { transferId: `adjust:${grants}`, type: 'adjustment', accountId, amountMillicredits } as const;
    const result = await (millicredits > 0
      ? fixture.ledger.grantCredits(movement)
      : fixture.ledger.reverseGrant(movement));
    if (result.status !== 'granted') throw new Error('The ledger refused a test’s movement.');
    return result.balanceAfterMillicredits;
  };
  const move = async (millicredits: number) => {
    purchases.watch.noteBalance(accountId, await book(millicredits));
    await purchases.watch.settle();
  };
  const listNotices = () => fixture.source.query('SELECT channel, recipient, body FROM notice ORDER BY id');

  it('tells once per fall below the threshold, and again only after the balance has risen', async () => {
    await set();
    await move(-2_000);
    expect(await listNotices()).toHaveLength(0);
    await move(-1_500);
    await move(-500);
    const notices = await listNotices();
    expect(notices.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'webhook']);
    expect(notices[0]).toMatchObject({
      recipient: 'owner@example.com',
      body: expect.stringMatching(/1\.5 credits are left/),
    });
    expect(JSON.parse(notices[1].body)).toMatchObject({ type: 'balance.low', accountId, availableCredits: 1.5 });
    await move(10_000);
    expect(await listNotices()).toHaveLength(2);
    await move(-10_000);
    expect(await listNotices()).toHaveLength(4);
  });

  it('tells an endpoint that wants it, even where there is no other way', async () => {
    const endpoints = [{ id: 'hook_1', url: 'https://example.com/endpoint' }];
    const parts = { ...makePurchasesParts(fixture, new FakeClock()), listEndpoints: async () => endpoints };
    await purchases.watch.close();
    purchases = openPurchases(parts, { publicUrl: 'http://tollgate.test', isProduction: false, stripe: null });
    await set({ isByEmail: false, webhookUrl: null });
    await move(-4_000);
    await move(-500);
    const [notice, ...others] = await listNotices();
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ channel: 'endpoint', recipient: 'https://example.com/endpoint' });
    expect(JSON.parse(notice.body)).toMatchObject({ type: 'balance.low', availableCredits: 1 });
  });

  it('tells once when four instances see the same fall', async () => {
    await set();
    const instances = [purchases, open(), open(), open()];
    await move(-4_000);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => (instances[index % 4] as Purchases).alerts.alertIfNeeded(accountId)),
    );
    expect(await listNotices()).toHaveLength(2);
  });

  it('tells of a fall, once, that was seen by a process which died before it told, though no call comes any more', async () => {
    await set();
    await purchases.watch.settle();
    await book(-4_000);
    expect(await listNotices()).toHaveLength(0);
    const others = [open(), open()];
    await Promise.all(others.map(({ watch }) => watch.sweep()));
    expect(await listNotices()).toHaveLength(2);
    for (const { watch } of others) await watch.close();
  });

  it('tells of a fall later that it could not look at, though no call comes any more', async () => {
    await set();
    await purchases.watch.sweep();
    isAway = true;
    await move(-4_000);
    await purchases.watch.sweep();
    await purchases.watch.settle();
    isAway = false;
    expect(await listNotices()).toHaveLength(0);
    await purchases.watch.sweep();
    await purchases.watch.settle();
    expect(await listNotices()).toHaveLength(2);
  });

  it('tells once, however often it is switched off and on, or its threshold moved to and fro', async () => {
    await set({ isByEmail: true, webhookUrl: null });
    await move(-4_000);
    expect(await listNotices()).toHaveLength(1);
    for (let round = 0; round < 20; round += 1) {
      await set({ thresholdMillicredits: null });
      await purchases.watch.settle();
      await set({ thresholdMillicredits: round % 2 === 0 ? 2_000 : 500, webhookUrl: null });
      await purchases.watch.settle();
      await purchases.alerts.alertIfNeeded(accountId);
    }
    expect(await listNotices()).toHaveLength(1);
  });

  it('tells of a lower threshold, and then of neither before the balance has risen to it', async () => {
    await set({ webhookUrl: null });
    await move(-4_000);
    await set({ webhookUrl: null, thresholdMillicredits: 900 });
    await move(-50);
    expect(await listNotices()).toHaveLength(1);
    await move(-100);
    expect(await listNotices()).toHaveLength(2);
    await move(500);
    await move(-500);
    expect(await listNotices()).toHaveLength(3);
  });

  it('mails nothing while the address is not verified, and tells it once that is', async () => {
    email = null;
    await set({ webhookUrl: null });
    await move(-4_000);
    await purchases.alerts.alertIfNeeded(accountId);
    expect(await listNotices()).toHaveLength(0);
    email = 'owner@example.com';
    purchases.watch.forget(accountId);
    await purchases.watch.settle();
    expect(await listNotices()).toMatchObject([{ channel: 'email', recipient: 'owner@example.com' }]);
  });

  it('tells by the ways that were chosen, and of no threshold nothing', async () => {
    await set({ isByEmail: false });
    await move(-4_000);
    expect((await listNotices()).map(({ channel }: { channel: string }) => channel)).toEqual(['webhook']);
    await set({ thresholdMillicredits: null });
    await move(-500);
    expect(await listNotices()).toHaveLength(1);
  });

  it('keeps the secret of a webhook while its address changes, and forgets it with the address', async () => {
    const first = await set();
    expect(first.webhookSecret).toMatch(/^tgwh_[\w-]{43}$/);
    expect((await set({ webhookUrl: 'https://example.com/other' })).webhookSecret).toBe(first.webhookSecret);
    expect((await set({ webhookUrl: null })).webhookSecret).toBeNull();
  });

  it.each([
    'http://example.com/hook',
    'https://127.0.0.1/hook',
    'https://169.254.169.254/latest',
    'https://[::ffff:7f00:1]/hook',
    'https://0x7f.1/hook',
    'https://2130706433/hook',
    'https://user:secret@example.com/',
    'ftp://example.com/',
    'nonsense',
  ])('takes no webhook at %s in production', async (webhookUrl) => {
    const production = open(true);
    const choice = { thresholdMillicredits: 1, isByEmail: false, webhookUrl };
    await expect(production.alerts.set(accountId, choice)).rejects.toMatchObject({ param: 'webhookUrl' });
  });
});
