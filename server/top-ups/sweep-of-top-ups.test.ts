import { openPurchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';

describeOnEachDatabase('the sweep of automatic top-ups', (openTestDatabase) => {
  it('writes and locks nothing while the balance is enough, and has the card charged in its next round when it is not', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const { topUp, topUpSettings, watch } = openPurchases(makePurchasesParts(fixture, new FakeClock()), {
      publicUrl: 'http://tollgate.test',
      isProduction: false,
      stripe: null,
    });
    const { accountId } = await fixture.createFundedAccount(5_000_000);
    const payer = { accountId, personId: accountId };
    const { url } = await topUpSettings.startCardSetup(payer);
    await topUpSettings.confirmCardSetup(payer, url.slice(url.indexOf('=') + 1));
    const amounts = { thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars: 50 };
    await topUpSettings.set(payer, { isOn: true, hasConsent: true, ...amounts });
    await watch.settle();
    const findRevision = async () => (await fixture.source.query('SELECT revision FROM auto_top_up'))[0].revision;
    const before = await findRevision();
    for (let round = 0; round < 5; round += 1) await topUp?.sweep();
    expect(await findRevision()).toEqual(before);
    const amountMillicredits = toMillicredits(4_500_000);
    await fixture.ledger.reverseGrant({ transferId: 'x', type: 'adjustment', accountId, amountMillicredits });
    await topUp?.sweep();
    expect((await fixture.findWallet(accountId)).posted).toBe(20_500_000);
    await watch.close();
    await fixture.close();
  });
});
