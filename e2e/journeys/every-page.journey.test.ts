import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { demoEmail, seedDemoAccount } from '../../server/cli/seed-demo-account.js';
import { loadConfig } from '../../server/config/config.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { describeInBrowser, type OpenedPage } from '../support/browser.js';
import { type Amount, chooseViews, looksInWords } from '../support/looks.js';
import { askOnPage, buyCredits, callProxy, journeyPassword, signInAs, signUpOnPage } from '../support/page-account.js';
import { PageGallery } from '../support/page-gallery.js';
import {
  createdKeyView,
  type PageView,
  pagesInside,
  viewsOutside,
  viewsWithData,
  viewsWithoutData,
} from '../support/page-views.js';
import { type Stack, startStack } from '../support/start-stack.js';

/** LOOKS_CALLS=100000 is a busy account; it takes minutes to make. */
const crowdedCallCount = Number(process.env.LOOKS_CALLS ?? 1_500);
const timeoutMs = 600_000;

/** On in the crowded account's server, so that all of their models are listed. Nobody calls them. */
const providerKeys = ['OPENAI', 'ANTHROPIC', 'GEMINI', 'DEEPSEEK', 'MISTRAL', 'GROQ', 'XAI', 'OPENROUTER'];

/** In which accounts there is something to look at. */
const withData = ['little', 'crowded'] as const;
const withoutData = ['empty', 'crowded'] as const;
const pagesWith = (amount: Amount) => chooseViews(pagesInside, amount, ['empty', 'little', 'crowded']);

// How a page looks does not depend on the database behind it; the journeys run on both.
describeInBrowser(`every page, ${looksInWords}, is accessible and fits its window`, (openPage) => {
  const folder = makeTestFolder('looks');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** @param path what a picture is taken of although the page cannot be there; the browser complains of it. */
  async function expectGoodLooks(
    opened: OpenedPage,
    amount: Amount | 'outside',
    views: readonly PageView[],
    path?: string,
  ) {
    const { faults, lookCount } = await new PageGallery(opened).lookAtAll(amount, views);
    expect(faults).toEqual([]);
    expect(lookCount).toBeGreaterThanOrEqual(views.length);
    expect(opened.faults.filter((fault) => path === undefined || !fault.includes(path))).toEqual([]);
  }

  describe('of a new account', () => {
    let stack: Stack;
    let opened: OpenedPage;
    beforeAll(async () => {
      stack = await startStack({ kind: 'sqlite', file: join(folder, 'new.db') });
      opened = await openPage({ baseUrl: stack.baseUrl });
    });
    afterAll(() => stack?.stop());

    it(
      'signed out',
      async () => {
        await expectGoodLooks(await openPage({ baseUrl: stack.baseUrl }), 'outside', viewsOutside);
      },
      timeoutMs,
    );

    it(
      'with no data',
      async () => {
        await signUpOnPage(opened.page, 'Grace Hopper');
        const views = [...pagesWith('empty'), ...chooseViews(viewsWithoutData, 'empty', withoutData), createdKeyView];
        await expectGoodLooks(opened, 'empty', views, 'no-such-page');
      },
      timeoutMs,
    );

    it(
      'with a little of it',
      async () => {
        const secret = await opened.page.getByRole('region', { name: 'your key', exact: true }).innerText();
        await fillAccount(stack, opened.page, secret.trim());
        const views = [...pagesWith('little'), ...chooseViews(viewsWithData, 'little', withData)];
        await expectGoodLooks(opened, 'little', views, 'no-such-page');
      },
      timeoutMs,
    );
  });

  describe(`of an account with ${crowdedCallCount} calls`, () => {
    let stack: Stack;
    let opened: OpenedPage;
    beforeAll(async () => {
      const file = join(folder, 'crowded.db');
      const config = loadConfig({ DATABASE_URL: `sqlite:${file}`, SPOOL_DIR: join(folder, 'spool') });
      const size = { callCount: crowdedCallCount, seed: 2, nowMs: Date.now(), isCrowded: true };
      await seedDemoAccount({ config, password: journeyPassword, ...size });
      const keys = Object.fromEntries(providerKeys.map((name) => [`${name}_API_KEY`, 'none']));
      stack = await startStack({ kind: 'sqlite', file }, { ...keys, MAX_KEYS_PER_ACCOUNT: '12' });
      opened = await openPage({ baseUrl: stack.baseUrl });
      await signInAs(opened.page, demoEmail);
      await limitKeys(opened.page);
    }, 900_000);
    afterAll(() => stack?.stop());

    it(
      'with many keys, long names, many models and many purchases',
      () => expectGoodLooks(opened, 'crowded', pagesWith('crowded')),
      timeoutMs,
    );

    it(
      'with what opens on top of them',
      async () => {
        const ofOthers = chooseViews(viewsWithoutData, 'crowded', withoutData);
        const views = [...chooseViews(viewsWithData, 'crowded', withData), ...ofOthers];
        await expectGoodLooks(opened, 'crowded', views, 'no-such-page');
      },
      timeoutMs,
    );
  });
});

/** Two purchases of which one is left unpaid, and a dozen calls, good and bad. */
async function fillAccount(stack: Stack, page: Page, secret: string): Promise<void> {
  await buyCredits(page, 5);
  await askOnPage(page, 'mutation { startCheckout(input: { dollars: 20 }) { url } }');
  for (let n = 0; n < 12; n += 1) {
    await callProxy(stack.baseUrl, secret, { model: n % 2 === 0 ? 'demo-small' : 'demo-large', stream: n % 3 === 0 });
  }
}

/** One key with every limit there is, one that is nearly spent, and one that has been revoked. */
async function limitKeys(page: Page): Promise<void> {
  const { apiKeys } = await askOnPage<{ apiKeys: { id: string; name: string }[] }>(page, '{ apiKeys { id name } }');
  const [everything, nearlySpent] = apiKeys;
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const limits = {
    models: ['gpt-4o-mini', 'claude-opus-4-5-20251101', 'gemini-3.5-flash-lite', 'llama-3.3-70b', 'mistral-medium'],
    providers: ['openai', 'anthropic', 'gemini', 'groq', 'mistral'],
    addresses: ['192.0.2.0/24', '2001:db8:85a3::/48', '198.51.100.7'],
    ...{
      spendLimit: 1_234_567.891,
      spendPeriod: 'MONTH',
      requestsPerMinute: 30,
      tokensPerMinute: 20_000,
      expiresAt: inAYear,
    },
  };
  const update = 'mutation ($id: ID!, $input: ApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }';
  await askOnPage(page, update, { id: everything?.id, input: { name: everything?.name, ...limits } });
  const small = { name: nearlySpent?.name, spendLimit: 10, spendPeriod: 'MONTH' };
  await askOnPage(page, update, { id: nearlySpent?.id, input: small });
  await askOnPage(page, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: apiKeys.at(-1)?.id });
}
