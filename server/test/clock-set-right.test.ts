import { createServer, type Server } from 'node:http';
import { getMetadataArgsStorage } from 'typeorm';
import { LeftGifts } from '../accounts/sign-up/left-gifts.js';
import { openPurchases, type Purchases } from '../composition/open-purchases.js';
import { columnNameOf, instantColumn } from '../database/columns.js';
import { entities } from '../entities.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { WebhookSender } from '../notices/webhook-sender.js';
import { makePurchase } from '../purchases/purchase-rows.js';
import { RefundOrders } from '../purchases/refund-orders.js';
import { CallNews } from '../webhooks/call-news.js';
import { describeOnEachDatabase } from './each-database.js';
import { LedgerFixture } from './ledger-fixture.js';
import { closeServer, listenLocally, urlOf } from './local-server.js';
import { makePurchasesParts } from './purchases-parts.js';
import { doubleSecretKey, StripeDouble } from './stripe-double.js';

const minuteMs = 60_000;
const aheadMs = 30 * 24 * 60 * minuteMs;

describeOnEachDatabase('What was written while the clock was thirty days ahead', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let double: StripeDouble;
  let purchases: Purchases;
  let accountId: string;
  let hook: Server;
  let received: number;
  let status: number;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock(Date.UTC(2026, 0, 5));
    double = await StripeDouble.start();
    accountId = (await fixture.createFundedAccount(500_000)).accountId;
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    purchases = openPurchases(parts(), { publicUrl: 'http://tollgate.test', isProduction: true, stripe });
    received = 0;
    status = 500;
    hook = createServer((_request, response) => {
      received += 1;
      response.writeHead(status).end();
    });
    await listenLocally(hook);
  });
  afterEach(async () => {
    await closeServer(hook);
    await purchases.watch.close();
    await fixture.close();
    await double.close();
  });

  const parts = () => makePurchasesParts(fixture, clock);
  const setAhead = () => clock.setWallMs(clock.nowMs() + aheadMs);
  /** And a minute passes, and a little, in which nobody takes anything for being under way. */
  const setRight = () => {
    clock.setWallMs(clock.nowMs() - aheadMs);
    clock.advanceMs(minuteMs + 1_000);
  };
  const turnOn = async () => {
    const payer = { accountId, personId: accountId };
    const { url } = await purchases.topUpSettings.startCardSetup(payer);
    const setupId = url.slice(url.lastIndexOf('/') + 1);
    double.books.saveCard(setupId);
    await purchases.topUpSettings.confirmCardSetup(payer, setupId);
    await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason: 'operator' });
    const choice = {
      isOn: true,
      thresholdMillicredits: 1_000_000,
      dollars: 20,
      monthlyCapDollars: 50,
      hasConsent: true,
    };
    await purchases.topUpSettings.set(payer, choice);
    await purchases.watch.settle();
    await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'operator' });
  };

  it('is sent: a message that was refused then, and those behind it', async () => {
    const { outbox, unitOfWork } = parts();
    const url = urlOf(hook);
    const sender = new WebhookSender({
      ...{ unitOfWork, clock, logger: silentLogger, isDevelopment: true },
      findWebhookSecret: async () => null,
      findEndpoint: async () => ({ url, secret: 'tgwh_a_secret_of_a_test' }),
    });
    const put = (number: number) =>
      unitOfWork.transact((transaction) =>
        outbox.put(transaction, {
          ...{ subjectKey: `endpoint:${number}`, accountId, channel: 'endpoint', endpointId: 'a' },
          ...{ recipient: url, title: 'Low', body: `${number}` },
        }),
      );
    setAhead();
    await put(1);
    await put(2);
    await sender.sendDue();
    expect(received).toBe(1);
    setRight();
    await sender.sendDue();
    await sender.sendDue();
    expect(received).toBe(2);
    status = 204;
    clock.advanceMs(10 * minuteMs);
    await sender.sendDue();
    expect(received).toBe(4);
    await sender.close();
  });

  it('is looked at: the calls of an endpoint', async () => {
    const { outbox, unitOfWork } = parts();
    let looks = 0;
    const findEndpoint = async () => {
      looks += 1;
      return null;
    };
    const news = new CallNews({ unitOfWork, outbox, clock, logger: silentLogger, findEndpoint });
    setAhead();
    const since = clock.nowMs();
    const endpoint = { accountId, name: 'n', url: 'http://localhost/', secret: 's', events: '', isOn: true };
    await unitOfWork.transact(async (transaction) => {
      await transaction.insert('webhook_endpoint', { ...endpoint, id: 'hook_1', createdAtMs: since });
      await transaction.insert('webhook_call_look', {
        endpointId: 'hook_1',
        accountId,
        sinceMs: since,
        dueAtMs: since,
      });
    });
    await news.look();
    setRight();
    await news.look();
    await news.look();
    expect(looks).toBe(2);
    const [row] = await fixture.source.query('SELECT since_ms, due_at_ms FROM webhook_call_look');
    expect(Number(row.since_ms)).toBe(clock.nowMs());
    expect(Number(row.due_at_ms)).toBe(clock.nowMs() + 10_000);
  });

  it('is charged: an automatic top-up whose card was declined then, and one that had been paid then', async () => {
    await turnOn();
    double.books.bank = 'declines';
    setAhead();
    expect(await purchases.topUp?.topUpIfNeeded(accountId)).toBe(true);
    expect(await purchases.topUp?.topUpIfNeeded(accountId)).toBe(false);
    setRight();
    expect(await purchases.topUp?.topUpIfNeeded(accountId)).toBe(false);
    clock.advanceMs(60 * minuteMs);
    expect(await purchases.topUpSettings.findThreshold(accountId)).toBe(1_000_000);
    expect(await purchases.topUp?.topUpIfNeeded(accountId)).toBe(true);
  });

  it('is taken up: a charge that nobody has heard of, and a purchase that waits', async () => {
    await turnOn();
    setAhead();
    double.isAway = true;
    await expect(purchases.topUp?.topUpIfNeeded(accountId)).rejects.toMatchObject({ code: 'service_unavailable' });
    double.isAway = false;
    setRight();
    await purchases.topUp?.sweep();
    expect(await fixture.countRows('auto_top_up_charge', "state = 'open'")).toBe(0);
    await fixture.source.query("UPDATE purchase SET status = 'pending'");
    expect(await purchases.reconciler?.run(minuteMs)).toMatchObject({ waitingPurchases: 1 });
  });

  it.each(['asked for', 'decided'])('is carried out: a refund that was %s then', async (how) => {
    const { outbox, unitOfWork } = parts();
    setAhead();
    const nowMs = clock.nowMs();
    const purchase = { ...makePurchase({ accountId, gateway: 'stripe', choice: { dollars: 10 }, nowMs }) };
    await unitOfWork.transact(async (transaction) => {
      await transaction.insert('purchase', { ...purchase, status: 'paid', gatewaySessionId: 'cs_1', paidAtMs: nowMs });
      await transaction.insert('refund_order', {
        ...{ id: 'refund_1', purchaseId: purchase.id, accountId, cents: 100, amountMillicredits: 1, reason: 'r' },
        ...{ askedBy: 'op_1', askedAtMs: nowMs, state: 'sending', gatewayRefundId: null, fault: null },
        ...(how === 'decided' ? { decidedBy: 'op_2', decidedAtMs: nowMs } : { decidedBy: null, decidedAtMs: null }),
      });
    });
    let refunds = 0;
    const gateway = {
      name: 'stripe',
      refundPayment: async () => {
        refunds += 1;
        throw new Error('Away.');
      },
    } as unknown as ConstructorParameters<typeof RefundOrders>[0]['gateway'];
    const reconciliation = { reconcile: () => Promise.reject(new Error('Nobody asks for this.')) };
    const { readTime } = parts();
    const orders = new RefundOrders({
      ...{ unitOfWork, gateway, reconciliation, outbox, clock, logger: silentLogger, readTime },
    });
    setRight();
    await orders.resume();
    expect(refunds).toBe(1);
    // Nothing was ever granted for it, which the books would tell of.
    await fixture.source.query("UPDATE purchase SET status = 'expired'");
  });

  it('is given: a gift for signing up', async () => {
    const { unitOfWork } = parts();
    setAhead();
    const row = { accountId, mailboxHash: 'a'.repeat(64), network: '203.0.113.0/24', millicredits: 1 };
    await unitOfWork.transact((transaction) =>
      transaction.insert('signup_gift_request', { ...row, askedAtMs: clock.nowMs() }),
    );
    const given: string[] = [];
    const gifts = { give: async (id: string) => given.push(id) > 0 };
    setRight();
    await new LeftGifts({ unitOfWork, gifts, clock, logger: silentLogger }).giveLeft();
    expect(given).toEqual([accountId]);
  });
});

it('Each column that says how long a row waits is one of those that a clock set right is tried with', () => {
  const tried = {
    'auto_top_up.paused_until_ms': 'above',
    'factor_recovery.due_at_ms': 'server/factors/factor-recovery-clock.test.ts',
    'idempotent_answer.lease_until_ms': 'server/idempotency/steady-time.test.ts',
    'ledger_hold.lease_until_ms': 'server/ledger/leases/hold-sweeper.test.ts',
    'notice.due_at_ms': 'above',
    'notice_read.read_until_ms': 'no wait: what a person has read',
    'usage_mark.until_ms': 'no wait: how far hours are summed',
    'webhook_call_look.due_at_ms': 'above',
  };
  const { columns, tables } = getMetadataArgsStorage();
  const found = columns.flatMap(({ target, propertyName, options: { name = columnNameOf(propertyName), type } }) => {
    const isWait = type === instantColumn.type && /_(due|until)(_at)?_ms$|^(due|until)(_at)?_ms$/.test(name);
    const table = tables.find((one) => one.target === target && entities.includes(one.target as never))?.name;
    return isWait ? [`${table}.${name}`] : [];
  });
  expect(found.toSorted()).toEqual(Object.keys(tried).toSorted());
});
