import { openPurchases } from '../composition/open-purchases.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { doubleSecretKey, StripeDouble } from '../test/stripe-double.js';

describeOnEachDatabase('a saved card', (openTestDatabase) => {
  it('is forgotten with the customer that Stripe has no longer: the top-up is off, its owner is told once, and late news of it brings nothing back', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const double = await StripeDouble.start();
    const stripe = { secretKey: new Secret(doubleSecretKey), webhookSecrets: [], apiBase: double.baseUrl };
    const { service, topUpSettings, watch } = openPurchases(
      makePurchasesParts(fixture, new FakeClock(Date.UTC(2026, 0, 15))),
      { publicUrl: 'http://tollgate.test', isProduction: true, stripe },
    );
    const { accountId } = await fixture.createFundedAccount(5_000_000);
    const payer = { accountId, personId: accountId };
    const saveCard = async (openForSeconds = 0) => {
      const { url } = await topUpSettings.startCardSetup(payer);
      const setupId = url.slice(url.lastIndexOf('/') + 1);
      const session = double.books.getSession(setupId);
      session.created = Number(session.created) - openForSeconds;
      double.books.saveCard(setupId);
      await topUpSettings.confirmCardSetup(payer, setupId);
      return setupId;
    };
    const setupId = await saveCard(60);
    const amounts = { thresholdMillicredits: 1_000_000, dollars: 20, monthlyCapDollars: 50 };
    await topUpSettings.set(payer, { isOn: true, hasConsent: true, ...amounts });
    double.books.deleteCustomer(String(double.books.customers[0]?.id));
    await Promise.all([
      service.startCheckout(accountId, { dollars: 5 }),
      service.startCheckout(accountId, { dollars: 5 }),
    ]);
    expect(await topUpSettings.find(accountId)).toMatchObject({ isOn: false, card: null, failure: 'no_card' });
    expect(await fixture.source.query('SELECT title, recipient FROM notice')).toEqual([
      { title: 'Your automatic top-up is off', recipient: 'owner@example.com' },
    ]);
    // The event of its setup, which comes behind the page that the browser came back to, or that page once more.
    await topUpSettings.keepCardOf(setupId);
    await topUpSettings.confirmCardSetup(payer, setupId);
    expect(await topUpSettings.find(accountId)).toMatchObject({ isOn: false, card: null, failure: 'no_card' });
    await saveCard();
    expect(await topUpSettings.find(accountId)).toMatchObject({ isOn: false, card: { last4: '4242' }, failure: null });
    await watch.close();
    await fixture.close();
    await double.close();
  });
});
