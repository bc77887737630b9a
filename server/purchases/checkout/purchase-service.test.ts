import type { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { silentLogger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { SimulatedGateway } from '../simulated/simulated-gateway.js';
import { type CheckoutChoice, creditPacks } from './credit-packs.js';
import { PurchaseService } from './purchase-service.js';

const publicUrl = 'http://localhost:8080';
const dayMs = 24 * 60 * 60 * 1_000;

describeOnEachDatabase('PurchaseService with the simulated gateway', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let unitOfWork: UnitOfWork;
  let clock: FakeClock;
  let gateway: SimulatedGateway;
  let purchases: PurchaseService;
  let accountId: string;
  let errors: string[];

  beforeEach(async () => {
    unitOfWork = fixture.unitOfWork;
    clock = new FakeClock();
    errors = [];
    gateway = new SimulatedGateway(unitOfWork, clock, { publicUrl, isProduction: false });
    const logger = { ...silentLogger, error: (event: string) => errors.push(event) };
    purchases = new PurchaseService({
      unitOfWork,
      ledger: fixture.ledger,
      gateway,
      outbox: { tellOperator: async () => {} },
      clock,
      logger,
      publicUrl,
      listAutomatic: async () => new Set(),
    });
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });

  const startCheckout = async (choice: CheckoutChoice = { dollars: 7 }) =>
    (await purchases.startCheckout(accountId, choice)).purchase;
  const findPosted = async () => (await fixture.findWallet(accountId)).posted;

  it('sells each pack at 1,000 credits a dollar', async () => {
    expect(creditPacks.map(({ dollars }) => dollars)).toEqual([5, 20, 50, 100]);
    for (const pack of creditPacks) {
      expect(await startCheckout({ packId: pack.id })).toMatchObject({
        amountCents: pack.dollars * 100,
        creditsMillicredits: pack.dollars * 1_000_000,
      });
    }
  });

  it.each([
    ['packId', {}],
    ['packId', { packId: 'pack-5', dollars: 5 }],
    ['packId', { packId: 'pack-6' }],
    ['dollars', { dollars: 4 }],
    ['dollars', { dollars: 1_001 }],
    ['dollars', { dollars: 5.5 }],
  ])('refuses a choice by naming the field %s: %j', async (param, choice) => {
    await expect(startCheckout(choice)).rejects.toMatchObject({ code: 'invalid_value', param });
    expect(await fixture.countRows('purchase')).toBe(0);
  });

  it('takes no money for an account that could not be credited, and credits what was begun before', async () => {
    const { id } = await startCheckout({ dollars: 1_000 });
    const amountMillicredits = toMillicredits(8_000_000_000_000_000);
    const returned = { transferId: 'dispute:x', accountId, type: 'dispute_reversal', amountMillicredits } as const;
    await fixture.ledger.grantCredits(returned);
    await expect(startCheckout()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('cannot take these credits'),
    });
    expect(await fixture.countRows('purchase')).toBe(1);
    await gateway.payCheckoutSession(id);
    expect(await purchases.confirmPurchase(accountId, id)).toMatchObject({ status: 'paid' });
    expect(await findPosted()).toBe(8_000_001_000_000_000);
  });

  it.each([
    ['operator', /frozen by the operator/],
    ['audit', /did not add up/],
    ['dispute', /dispute/],
  ] as const)(
    'takes no money for an account that is frozen for “%s”, and credits what was begun before',
    async (reason, words) => {
      const { id } = await startCheckout();
      await fixture.ledger.setWalletState({ accountId, state: 'frozen', reason });
      await expect(startCheckout()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(words) });
      expect(await fixture.countRows('purchase')).toBe(1);
      await gateway.payCheckoutSession(id);
      expect(await purchases.confirmPurchase(accountId, id)).toMatchObject({ status: 'paid' });
      expect(await findPosted()).toBe(7_000_000);
      await fixture.ledger.setWalletState({ accountId, state: 'open', reason });
      expect(await startCheckout()).toMatchObject({ status: 'pending' });
    },
  );

  it('sells to an account that owes credits, which a purchase repays, and not to a closed one', async () => {
    await fixture.ledger.reverseGrant({
      transferId: 'refund:x',
      accountId,
      type: 'refund',
      amountMillicredits: toMillicredits(1_000),
    });
    expect(await startCheckout()).toMatchObject({ status: 'pending' });
    await fixture.ledger.setWalletState({ accountId, state: 'closing' });
    await expect(startCheckout()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/closed/) });
  });

  it('credits nothing before payment, and exactly what our row says after it', async () => {
    const { purchase, url } = await purchases.startCheckout(accountId, { dollars: 7 });
    expect(url).toBe(`${publicUrl}/checkout/simulated/${purchase.id}`);
    expect(await purchases.confirmPurchase(accountId, purchase.id)).toMatchObject({
      status: 'pending',
      paidAtMs: null,
    });
    expect(await findPosted()).toBe(0);
    await gateway.payCheckoutSession(purchase.id);
    clock.advanceMs(1_000);
    const paid = await purchases.confirmPurchase(accountId, purchase.id);
    expect(paid).toMatchObject({ status: 'paid', paidAtMs: clock.nowMs() });
    expect(await findPosted()).toBe(7_000_000);
  });

  it('grants once when twenty confirm and the Pay button reconciles at the same time', async () => {
    const { id } = await startCheckout();
    await gateway.payCheckoutSession(id);
    const results = await Promise.all([
      ...Array.from({ length: 20 }, () => purchases.confirmPurchase(accountId, id)),
      purchases.reconcilePurchase(id),
    ]);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['paid']));
    expect(await findPosted()).toBe(7_000_000);
    expect(await fixture.countRows('ledger_transfer')).toBe(1);
    expect(errors).toEqual([]);
  });

  it('counts a session that is paid twice once', async () => {
    const { id } = await startCheckout();
    for (let round = 0; round < 2; round += 1) {
      await gateway.payCheckoutSession(id);
      await purchases.reconcilePurchase(id);
    }
    expect(await findPosted()).toBe(7_000_000);
  });

  it.each([
    ['amount', { amountCents: 100 }],
    ['currency', { currency: 'eur' }],
    ['purchase', { purchaseId: createId('purchase') }],
  ])('credits nothing and raises an alarm when the gateway tells of another %s', async (_, lie) => {
    const { id } = await startCheckout();
    await gateway.payCheckoutSession(id);
    const find = gateway.findCheckoutSession.bind(gateway);
    gateway.findCheckoutSession = async (sessionId) => {
      const session = await find(sessionId);
      return session && { ...session, ...lie };
    };
    expect(await purchases.confirmPurchase(accountId, id)).toMatchObject({ status: 'pending' });
    expect(await findPosted()).toBe(0);
    expect(errors).toEqual(['purchase_mismatch_found']);
  });

  it('credits nothing for a session that another gateway opened', async () => {
    const { id } = await startCheckout();
    await gateway.payCheckoutSession(id);
    await fixture.source.query(`UPDATE purchase SET gateway = 'stripe' WHERE id = '${id}'`);
    expect(await purchases.reconcilePurchase(id)).toMatchObject({ status: 'pending' });
    expect(await findPosted()).toBe(0);
  });

  it('leaves a purchase that never got its session pending', async () => {
    gateway.createCheckoutSession = () => Promise.reject(new Error('gateway away'));
    await expect(startCheckout()).rejects.toThrow('gateway away');
    const [purchase] = (await purchases.listPurchases(accountId, { first: 1, beforeId: null })).items;
    expect(await purchases.reconcilePurchase(String(purchase?.id))).toMatchObject({ status: 'pending' });
  });

  it('lets an unpaid purchase expire after a day; paying it then brings nothing', async () => {
    const { id } = await startCheckout();
    clock.advanceMs(dayMs);
    expect(await purchases.confirmPurchase(accountId, id)).toMatchObject({ status: 'expired' });
    await gateway.payCheckoutSession(id);
    expect(await purchases.reconcilePurchase(id)).toMatchObject({ status: 'expired' });
    expect(await findPosted()).toBe(0);
  });

  it('opens one session per purchase, however often it is asked', async () => {
    const { id: purchaseId } = await startCheckout();
    const facts = { accountId, title: '7,000 credits', createdAtMs: 0, returnUrl: '', cancelUrl: '' };
    const input = { purchaseId, amountCents: 700, currency: 'usd', ...facts };
    const sessions = await Promise.all(Array.from({ length: 5 }, () => gateway.createCheckoutSession(input)));
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(await fixture.countRows('simulated_checkout')).toBe(1);
  });

  it('answers a foreign purchase as a missing one', async () => {
    const { id } = await startCheckout();
    const stranger = (await fixture.createFundedAccount(0)).accountId;
    const confirm = (purchaseId: string) => purchases.confirmPurchase(stranger, purchaseId).catch((e: Error) => e);
    expect(await confirm(id)).toEqual(await confirm(createId('purchase')));
    expect(await confirm('nonsense')).toMatchObject({ code: 'not_found' });
    expect(await purchases.findPurchase(stranger, id)).toBeNull();
    await expect(gateway.payCheckoutSession(createId('purchase'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it("lists the account's purchases page by page, newest first, while new ones arrive", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await startCheckout()).id);
    const stranger = (await fixture.createFundedAccount(0)).accountId;
    await purchases.startCheckout(stranger, { dollars: 5 });
    const first = await purchases.listPurchases(accountId, { first: 2, beforeId: null });
    expect(first).toMatchObject({ items: [{ id: ids[0] }, { id: ids[1] }], hasNextPage: true });
    await startCheckout();
    const second = await purchases.listPurchases(accountId, { first: 2, beforeId: ids[1] ?? null });
    expect(second).toMatchObject({ items: [{ id: ids[2] }], hasNextPage: false });
  });

  it('has no simulated gateway in production', () => {
    expect(() => new SimulatedGateway(unitOfWork, clock, { publicUrl, isProduction: true })).toThrow('production');
  });
});
