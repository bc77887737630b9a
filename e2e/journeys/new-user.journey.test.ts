import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { describeInBrowser } from '../support/browser.js';
import { listAccessibilityFaults } from '../support/page-faults.js';
import { type Stack, startStack } from '../support/start-stack.js';

const journeyTimeoutMs = 120_000;

describeInBrowser('the journey of a new user', (openPage) => {
  describeOnEachDatabase('from sign-up to a billed call', (openTestDatabase) => {
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack((await openTestDatabase()).address);
    });
    afterAll(() => stack?.stop());

    it(
      'signs up, makes a key, buys credits, calls with the SDK of OpenAI, and sees the call with its price',
      async () => {
        const { page, faults } = await openPage({ baseUrl: stack.baseUrl });

        await signUp(page);
        await expectNoAccessibilityFaults(page);
        await waitForBalance(page, '0');

        const apiKey = await createKey(page);
        expect(apiKey).toMatch(/^sk-tg-[0-9A-Za-z]{46}$/);
        expect(await page.getByRole('region', { name: 'curl snippet' }).innerText()).toContain(apiKey);

        await buyPack(page, 'Buy 5,000 credits for $5');
        await page.getByRole('link', { name: 'Overview', exact: true }).first().click();
        await waitForBalance(page, '5,000');
        expect(await page.getByRole('region', { name: 'curl snippet' }).innerText()).toContain(apiKey);

        const lower = await callPlain({ stack, apiKey, model: 'demo-small' });
        const higher = await callStreamed({ stack, apiKey, model: 'demo-large' });
        const spentMillicredits = lower.totalTokens + 2 * higher.totalTokens;

        await page.reload();
        await waitForBalance(page, showCredits(5_000_000 - spentMillicredits));

        await page.getByRole('link', { name: 'Requests', exact: true }).first().click();
        const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
        await rows.nth(2).waitFor();
        expect(await rows.nth(1).innerText()).toContain('demo-large');
        expect(await rows.nth(1).innerText()).toContain(`${higher.promptTokens} / ${higher.completionTokens}`);
        expect(await rows.nth(1).innerText()).toContain(showCredits(2 * higher.totalTokens, 3));
        expect(await rows.nth(2).innerText()).toContain('demo-small');
        expect(await rows.nth(2).innerText()).toContain(showCredits(lower.totalTokens, 3));

        await page.getByRole('button', { name: 'Receipt of the call to demo-small' }).click();
        const charged = page.getByRole('dialog').getByRole('row', { name: /^Charged/ });
        await charged.waitFor();
        expect(await charged.innerText()).toContain(showCredits(lower.totalTokens, 3));
        await expectNoAccessibilityFaults(page);
        expect(faults).toEqual([]);
      },
      journeyTimeoutMs,
    );
  });
});

async function signUp(page: Page): Promise<void> {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

async function waitForBalance(page: Page, credits: string): Promise<void> {
  await page.getByRole('region', { name: 'Balance' }).getByText(credits, { exact: true }).waitFor();
}

async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create your key' }).click();
  const secret = page.getByRole('region', { name: 'your key' });
  await secret.waitFor();
  return (await secret.innerText()).trim();
}

async function buyPack(page: Page, buttonName: string): Promise<void> {
  await page.getByRole('link', { name: 'Credits', exact: true }).first().click();
  await page.getByRole('button', { name: buttonName }).click();
  await page.getByRole('heading', { name: /no real money/ }).waitFor();
  await expectNoAccessibilityFaults(page);
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.getByRole('heading', { name: 'Paid. Thank you' }).waitFor();
  await page.getByRole('link', { name: 'Back to credits' }).click();
  await page.getByRole('table', { name: 'Purchases' }).waitFor();
}

interface Call {
  readonly stack: Stack;
  readonly apiKey: string;
  readonly model: string;
}

interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

// Changes only the base URL and the key, as the product promises.
function clientOf({ stack, apiKey }: Call): OpenAI {
  return new OpenAI({ baseURL: `${stack.baseUrl}/api/proxy.php`, apiKey, maxRetries: 0, timeout: 30_000 });
}

async function callPlain(call: Call): Promise<Usage> {
  const { data, response } = await clientOf(call)
    .chat.completions.create({ model: call.model, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 50 })
    .withResponse();
  expect(data.choices[0]?.message.content).not.toBe('');
  expect(response.headers.get('x-request-id')).toMatch(/^call_/);
  return toUsage(data.usage);
}

async function callStreamed(call: Call): Promise<Usage> {
  const stream = await clientOf(call).chat.completions.create({
    model: call.model,
    messages: [{ role: 'user', content: 'Say hello.' }],
    max_tokens: 50,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage ?? usage;
  }
  expect(text).not.toBe('');
  return toUsage(usage);
}

function toUsage(usage: OpenAI.CompletionUsage | null | undefined): Usage {
  if (!usage) throw new Error('The answer reported no usage.');
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens } = usage;
  expect(totalTokens).toBe(promptTokens + completionTokens);
  expect(totalTokens).toBeGreaterThan(0);
  return { promptTokens, completionTokens, totalTokens };
}

async function expectNoAccessibilityFaults(page: Page): Promise<void> {
  expect(await listAccessibilityFaults(page)).toEqual([]);
}

/** As the dashboard shows them: `4,999.987`; without trailing zeros unless `decimalsMin` asks for them. */
function showCredits(millicredits: number, decimalsMin = 0): string {
  return (millicredits / 1_000).toLocaleString('en-US', {
    minimumFractionDigits: decimalsMin,
    maximumFractionDigits: 3,
  });
}
