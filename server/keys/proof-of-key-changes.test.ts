import type { FakeClock } from '../kernel/clock.js';
import { answerOf, type CookieBrowser, browserPassword as password, reasonOf } from '../test/cookie-browser.js';
import type { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { requirePersonMay } from './acting-person.js';
import type { ApiKeyEntity } from './api-key.entity.js';

const hourMs = 3_600_000;
const update =
  'mutation ($id: ID!, $input: ApiKeyInput!) { updateApiKey(id: $id, input: $input) { scopes addresses } }';
const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }';

describeOnEachDatabase('A session that was last proved an hour ago', (openTestDatabase) => {
  const opened = FactorApp.forAll(openTestDatabase);
  let app: TestApp;
  let clock: FakeClock;
  let browser: CookieBrowser;
  let people = 0;

  beforeAll(() => {
    ({ app, clock } = opened);
  });
  beforeEach(async () => {
    people += 1;
    browser = opened.newBrowser();
    await browser.signUp(`key-${people}@example.com`);
  });

  const makeKey = async (scopes: readonly string[]) => {
    const query = 'mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
    const made = await browser.ask(query, { input: { name: 'ci', scopes, addresses: ['203.0.113.5'] } });
    const { apiKey, secret } = answerOf<{ apiKey: { id: string }; secret: string }>(made);
    return { id: apiKey.id, secret };
  };

  it.each(['KEYS_WRITE', 'BILLING_WRITE'])(
    'neither changes a key with %s nor has its new secret before a proof, whether its scopes are named or not',
    async (scope) => {
      const { id } = await makeKey(['CHAT', scope]);
      clock.advanceMs(hourMs);
      for (const input of [
        { name: 'ci', addresses: null },
        { name: 'ci', scopes: ['CHAT'] },
        { name: 'ci', scopes: null },
        { name: 'renamed' },
      ]) {
        expect(reasonOf(await browser.ask(update, { id, input }))).toBe('fresh_factor_required');
      }
      expect(reasonOf(await browser.ask(rotate, { id }))).toBe('fresh_factor_required');
      const [row] = await app.query(`SELECT name, addresses, previous_secret_hash FROM api_key WHERE id = '${id}'`);
      expect(row).toEqual({ name: 'ci', addresses: '["203.0.113.5"]', previous_secret_hash: null });
      await browser.ask(`mutation { proveFactor(input: { password: "${password}" }) }`);
      expect(reasonOf(await browser.ask(rotate, { id }))).toBe('done');
      expect(reasonOf(await browser.ask(update, { id, input: { name: 'ci', addresses: null } }))).toBe('done');
    },
  );

  it('goes on changing and rotating keys that call and read, and may not let them write', async () => {
    const { id } = await makeKey(['CHAT', 'USAGE_READ']);
    clock.advanceMs(hourMs);
    expect(reasonOf(await browser.ask(rotate, { id }))).toBe('done');
    expect(reasonOf(await browser.ask(update, { id, input: { name: 'new' } }))).toBe('done');
    const widened = await browser.ask(update, { id, input: { name: 'new', scopes: ['KEYS_WRITE'] } });
    expect(reasonOf(widened)).toBe('fresh_factor_required');
  });

  it('ends a key that writes at once', async () => {
    const { id } = await makeKey(['KEYS_WRITE']);
    clock.advanceMs(hourMs);
    expect(reasonOf(await browser.ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id }))).toBe('done');
  });

  it('tells nothing by it of a key that is not its account’s', async () => {
    const { id } = await makeKey(['KEYS_WRITE']);
    clock.advanceMs(hourMs);
    const stranger = opened.newBrowser();
    await stranger.signUp(`stranger-${people}@example.com`);
    clock.advanceMs(hourMs);
    expect(reasonOf(await stranger.ask(rotate, { id }))).toBe('not_found');
  });
});

describe('A key that was given a scope that writes while somebody without a proof looked at it', () => {
  it('is not changed', () => {
    const row = { scopes: 'chat keys:write', models: null, providers: null, addresses: null } as ApiKeyEntity;
    const person = { personId: 'acct_1', role: 'owner' } as const;
    expect(() => requirePersonMay({ ...person, isProved: false }, row, null)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(() => requirePersonMay({ ...person, isProved: true }, row, null)).not.toThrow();
  });
});
