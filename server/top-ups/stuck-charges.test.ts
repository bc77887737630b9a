import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import type { CardGateway } from '../purchases/card-gateway.js';
import { insertPurchase } from '../purchases/purchase-rows.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { AutoTopUp } from './auto-top-up.js';
import { AutoTopUpChargeEntity } from './auto-top-up-charge.entity.js';
import { CardToForgetEntity } from './card-to-forget.entity.js';

describeOnEachDatabase('Charges and cards that the payment service says nothing about', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  it('keep none behind them waiting, however many they are', async () => {
    const clock = new FakeClock();
    const asked = new Set<string>();
    const away = (id: string) => {
      asked.add(id);
      return Promise.reject(new Error('The payment service is away.'));
    };
    const cards = {
      name: 'stripe',
      findCharge: ({ purchaseId }: { purchaseId: string }) => away(purchaseId),
      forgetCard: away,
    } as unknown as CardGateway;
    const topUp = new AutoTopUp({
      ...makePurchasesParts(fixture, clock),
      ...{ cards, logger: silentLogger, payers: { endUnlessAgreed: async () => false } },
      reconciliation: { reconcile: () => Promise.reject(new Error('Nothing is paid.')) },
      outcomes: { finish: async () => {}, tellOfCap: async () => {} },
    });
    const { accountId } = await fixture.createFundedAccount(0);
    const nowMs = clock.nowMs();
    for (let n = 0; n < 201; n += 1) {
      await fixture.unitOfWork.transact(async (transaction) => {
        const wanted = { accountId, gateway: 'stripe', choice: { dollars: 5 }, nowMs };
        const { id: purchaseId } = await insertPurchase(transaction, wanted);
        const charge = {
          purchaseId,
          accountId,
          monthUtc: '2026-01',
          amountCents: 500,
          cardId: 'pm',
          state: 'open',
        } as const;
        await transaction.insert(AutoTopUpChargeEntity, { ...charge, openFor: `acct_${1_000 + n}` });
        await transaction.insert(CardToForgetEntity, {
          gateway: 'stripe',
          cardId: `pm_${1_000 + n}`,
          notedAtMs: nowMs,
        });
      });
    }
    clock.advanceMs(61_000);
    await topUp.sweep();
    expect(asked.size).toBe(400);
    await topUp.sweep();
    expect(asked.size).toBe(402);
    // They stand for as many accounts, which the books know nothing of.
    await fixture.source.query('DELETE FROM auto_top_up_charge');
  });
});
