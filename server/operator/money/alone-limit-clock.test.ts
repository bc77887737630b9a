import { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import type { Millicredits } from '../../kernel/millicredits.js';
import { ProvenTime } from '../../ledger/receipts/proven-time.js';
import { makePurchase } from '../../purchases/purchase-rows.js';
import { RefundOrders } from '../../purchases/refund-orders.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { OperatorLog } from '../operator-log.js';
import type { OperatorCaller } from '../people/operator-sessions.js';
import { CreditDesk } from './credit-desk.js';
import { GiftDesk } from './gift-desk.js';

const hourMs = 3_600_000;
const by: OperatorCaller = {
  ...{ operatorId: 'op_1', sessionId: 'ops_1', name: 'Ada', email: 'ada@example.com' },
  ...{ role: 'owner', isFresh: true },
};
const reason = 'A test of the limit';
const amountMillicredits = 6_000_000 as Millicredits;
const aloneMaxMillicredits = 10_000_000;

describeOnEachDatabase('What one operator may do alone in 24 hours', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let accountId: string;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock(Date.now());
    unitOfWork = new UnitOfWork(fixture.source);
    accountId = (await fixture.createFundedAccount(1_000)).accountId;
  });
  afterEach(async () => {
    await fixture.source.query("UPDATE purchase SET status = 'expired'");
    await fixture.close();
  });

  /** A process as it is at its start, which has watched no clock. */
  const start = async () => {
    const time = new ProvenTime(unitOfWork, clock, async () => clock.nowMs());
    await time.read();
    const log = new OperatorLog(unitOfWork, clock, 'a test');
    const findBelievedMs = async (reader: Parameters<typeof time.read>[0]) => (await time.read(reader)).believedMs;
    const shared = { log, unitOfWork, clock, findBelievedMs, aloneMaxMillicredits };
    const moved = async () => ({ availableAfterMillicredits: 0 });
    const desk = { by: () => ({ grant: moved }) } as never;
    const credits = new CreditDesk({ ...shared, desk, hasAccount: async () => true });
    const secretBox = { seal: async () => 'sealed', open: async () => null } as never;
    const keeper = {
      create: async (_: unknown, first: (transaction: never, made: readonly object[]) => Promise<unknown>) => {
        await unitOfWork.transact((transaction) => first(transaction as never, [{ id: 'gift_1', code: 'c' }]));
        return [];
      },
      list: async () => [],
      revoke: async () => false,
    };
    const gifts = new GiftDesk({ ...shared, secretBox, gifts: keeper as never });
    const gateway = { name: 'stripe' } as never;
    const reconciliation = { reconcile: () => Promise.reject(new Error('Nobody asks for this.')) };
    const outbox = { tellOperator: async () => false } as never;
    const readTime = (reader: Parameters<typeof time.read>[0]) => time.read(reader);
    const orders = new RefundOrders({
      ...{ unitOfWork, gateway, reconciliation, outbox, clock, logger: silentLogger, readTime },
    });
    return { credits, gifts, orders };
  };
  type Process = Awaited<ReturnType<typeof start>>;

  const move = async ({ credits }: Process, once: string) =>
    (await credits.move(by, 'grant', { accountId, amountMillicredits, reason, once } as never)).status !== 'waiting';
  const give = ({ gifts }: Process) =>
    gifts.create({ creditsMillicredits: amountMillicredits, count: 1, expiresAtMs: null }, reason, by).then(
      () => true,
      () => false,
    );
  const payBack = async ({ orders }: Process, purchaseId: string, once: string) => {
    const terms = { askedBy: by.operatorId, aloneMaxMillicredits, lock: async () => {}, note: async () => {} };
    return (await orders.place({ purchaseId, cents: 600, reason, once } as never, terms)).state === 'sending';
  };
  const addPurchase = async () => {
    const nowMs = clock.nowMs();
    const purchase = makePurchase({ accountId, gateway: 'stripe', choice: { dollars: 20 }, nowMs });
    await unitOfWork.transact((transaction) =>
      transaction.insert('purchase', { ...purchase, status: 'paid', gatewaySessionId: 'cs_1', paidAtMs: nowMs }),
    );
    return purchase.id;
  };

  it.each([25, -25, 40 * 24])('is not theirs once more because the clock is set by %d hours', async (hours) => {
    const first = await start();
    const purchaseId = await addPurchase();
    expect([await move(first, 'm1'), await give(first), await payBack(first, purchaseId, 'r1')]).toEqual([
      true,
      true,
      true,
    ]);
    clock.setWallMs(clock.nowMs() + hours * hourMs);
    for (const [at, one] of [first, await start()].entries()) {
      const again = [await move(one, `m${at}2`), await give(one), await payBack(one, purchaseId, `r${at}2`)];
      expect(again).toEqual([false, false, false]);
    }
  });

  it('is theirs once more a day later, where a process has watched the clock', async () => {
    const first = await start();
    expect([await move(first, 'm1'), await give(first)]).toEqual([true, true]);
    clock.advanceMs(24 * hourMs + 1);
    expect([await move(first, 'm2'), await give(first)]).toEqual([true, true]);
  });
});
