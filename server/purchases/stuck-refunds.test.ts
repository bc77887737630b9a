import { openPurchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { RefundOrderEntity } from './refund-order.entity.js';

describeOnEachDatabase('Refunds that cannot be carried out', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  it('keep none behind them waiting, however many they are', async () => {
    const clock = new FakeClock();
    const settings = { publicUrl: 'http://tollgate.test', isProduction: false, stripe: null };
    const { refunds, service, simulatedGateway } = openPurchases(makePurchasesParts(fixture, clock), settings);
    const { accountId } = await fixture.createFundedAccount(0);
    const buy = async () => {
      const { purchase } = await service.startCheckout(accountId, { dollars: 5 });
      await simulatedGateway?.payCheckoutSession(purchase.id);
      await service.confirmPurchase(accountId, purchase.id);
      return purchase.id;
    };
    const [ofAnother, ours] = [await buy(), await buy()];
    await fixture.source.query(`UPDATE purchase SET gateway = 'stripe' WHERE id = '${ofAnother}'`);
    const order = {
      accountId,
      cents: 1,
      amountMillicredits: 10_000,
      reason: 'x',
      askedBy: 'op',
      askedAtMs: clock.nowMs(),
    };
    const rest = { state: 'sending', decidedBy: null, decidedAtMs: null, gatewayRefundId: null, fault: null } as const;
    await fixture.source.manager.insert(
      RefundOrderEntity,
      Array.from({ length: 100 }, (_, n) => ({ id: `ref_${1_000 + n}`, purchaseId: ofAnother, ...order, ...rest })),
    );
    await fixture.source.manager.insert(RefundOrderEntity, { id: 'ref_9', purchaseId: ours, ...order, ...rest });
    clock.advanceMs(61_000);
    await refunds.resume();
    await refunds.resume();
    expect(await refunds.getOrder('ref_9')).toMatchObject({ state: 'done' });
    expect(await fixture.countRows('refund_order', "state = 'sending'")).toBe(100);
  });
});
