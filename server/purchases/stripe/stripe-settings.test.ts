import { openPurchases } from '../../composition/open-purchases.js';
import { loadConfig } from '../../config/config.js';
import { systemClock } from '../../kernel/clock.js';
import { Secret } from '../../kernel/secret.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { findConfigFaults } from '../../test/find-config-faults.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makePurchasesParts } from '../../test/purchases-parts.js';

const key = 'sk_test_0123456789abcdef';
const secret = `whsec_${'x'.repeat(20)}`;

describe('the settings of Stripe', () => {
  it('take no real money unless they are set', () => {
    expect(loadConfig({}).stripe).toBeNull();
    expect(loadConfig({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '', STRIPE_API_BASE: '' }).stripe).toBeNull();
  });

  it('are read, and keep their secrets to themselves', () => {
    const settings = { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: `${secret},${secret}2` };
    const { stripe } = loadConfig({ ...settings, STRIPE_API_BASE: 'http://127.0.0.1:12111/' });
    expect(stripe?.secretKey.reveal()).toBe(key);
    expect(stripe?.webhookSecrets.map((one) => one.reveal())).toEqual([secret, `${secret}2`]);
    expect(stripe?.apiBase).toBe('http://127.0.0.1:12111');
    expect(JSON.stringify(stripe)).not.toContain('xxxx');
  });

  it.each<[string, Record<string, string>]>([
    ['a key of another kind', { STRIPE_SECRET_KEY: 'pk_test_0123456789abcdef' }],
    ['a webhook secret that anybody could guess', { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'whsec_short' }],
    ['a second webhook secret that is none', { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: `${secret},` }],
    ['a webhook secret without a key', { STRIPE_WEBHOOK_SECRET: secret }],
    ['a double without a key', { STRIPE_API_BASE: 'http://127.0.0.1:1' }],
    ['a double with a path', { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: 'http://127.0.0.1:1/v1' }],
    ['a double with a live key', { STRIPE_SECRET_KEY: 'sk_live_0123456789', STRIPE_API_BASE: 'http://127.0.0.1:1' }],
    ['a double with a live restricted key', { STRIPE_SECRET_KEY: 'rk_live_0123456789', STRIPE_API_BASE: 'http://a.b' }],
  ])('refuse %s, without repeating it', (_, environment) => {
    const faults = findConfigFaults(environment);
    expect(faults).toEqual([expect.stringMatching(/STRIPE_/)]);
    for (const value of Object.values(environment)) expect(faults.join('')).not.toContain(value);
  });
});

describe('STRIPE_SECRET_KEY', () => {
  it.each([
    ['too short', 'sk_live_tooshort', /wrong length.*: 16 characters, where 18 to 255/],
    ['too long', `sk_test_${'x'.repeat(248)}`, /wrong length.*: 256 characters/],
    ['one in quotes', '"sk_test_0123456789abcdef"', /must be a secret or restricted key/],
    ['one with a space in it', 'sk_test_0123456789 abcdef', /character that is in no key of Stripe/],
    ['one for browsers', 'pk_test_0123456789abcdef', /must be a secret or restricted key/],
  ])('that is %s is refused by what is wrong with it', (_, value, words) => {
    const faults = findConfigFaults({ STRIPE_SECRET_KEY: value });
    expect(faults).toEqual([expect.stringMatching(words)]);
    expect(faults.join('')).not.toContain(value.slice(8));
  });
});

describeOnEachDatabase('openPurchases', (openTestDatabase) => {
  const open = async (stripe: Parameters<typeof openPurchases>[1]['stripe'], isProduction: boolean) => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const parts = makePurchasesParts(fixture, systemClock);
    try {
      return openPurchases(parts, { publicUrl: 'http://tollgate.test', isProduction, stripe });
    } finally {
      await fixture.close();
    }
  };
  const stripe = { secretKey: new Secret(key), webhookSecrets: [new Secret(secret)], apiBase: null };

  it('simulates without a key, and sells nothing in production', async () => {
    expect(await open(null, false)).toMatchObject({ webhook: null, reconciler: null });
    expect((await open(null, false)).simulatedGateway).not.toBeNull();
    const production = await open(null, true);
    expect(production.simulatedGateway).toBeNull();
    const { service, topUp, topUpSettings } = production;
    const payer = { accountId: 'acct_x', personId: 'acct_x' };
    expect(topUp).toBeNull();
    for (const refused of [
      service.startCheckout('acct_x', { dollars: 5 }),
      topUpSettings.startCardSetup(payer),
      topUpSettings.confirmCardSetup(payer, 'simcard_acct_x-acct_x'),
      topUpSettings.openBillingPortal(payer),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
    }
  });

  it('sells by Stripe with a key, in production as elsewhere, and never simulates beside it', async () => {
    for (const isProduction of [false, true]) {
      const purchases = await open(stripe, isProduction);
      expect(purchases.simulatedGateway).toBeNull();
      expect(purchases.webhook).not.toBeNull();
      expect(purchases.reconciler).not.toBeNull();
    }
  });

  it('has no webhook without a secret, and never sends a live key to a double', async () => {
    expect((await open({ ...stripe, webhookSecrets: [] }, false)).webhook).toBeNull();
    const live = { ...stripe, secretKey: new Secret('sk_live_0123456789'), apiBase: 'http://127.0.0.1:1' };
    await expect(open(live, false)).rejects.toThrow(/live key/);
  });
});
