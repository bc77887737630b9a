import type { Page } from 'playwright-core';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { StripeDouble } from '../../server/test/stripe-double.js';
import { receiptHost, type StripeObject } from '../../server/test/stripe-double-books.js';
import { describeInBrowser } from '../support/browser.js';
import { listAccessibilityFaults } from '../support/page-faults.js';
import { type Stack, startStack } from '../support/start-stack.js';

const journeyTimeoutMs = 120_000;

describeInBrowser('buying credits in the browser', (openPage) => {
  describeOnEachDatabase('by Stripe', (openTestDatabase) => {
    let stack: Stack;
    let double: StripeDouble;
    beforeAll(async () => {
      double = await StripeDouble.start();
      stack = await startStack((await openTestDatabase()).address, { ...double.settings, DEMO_PROVIDER: 'on' });
    });
    afterAll(async () => {
      await stack?.stop();
      await double?.close();
    });

    it(
      'leads to the payment page and back, links the receipt, and shows a payment that is on its way as pending',
      async () => {
        const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
        await signUp(page, 'grace@example.com');
        await page.goto('/credits');
        await page.getByRole('button', { name: 'Buy 5,000 credits for $5' }).click();
        await page.getByRole('button', { name: 'Pay', exact: true }).click();
        await page.getByRole('heading', { name: 'Paid. Thank you' }).waitFor();
        await page.getByRole('link', { name: 'Back to credits' }).click();
        const receipt = page.getByRole('link', { name: 'Card receipt of the purchase of $5' });
        await receipt.waitFor();
        expect(await receipt.getAttribute('href')).toMatch(new RegExp(`^${receiptHost}/pi_`));
        await page.getByRole('link', { name: 'Invoice of the purchase of $5' }).waitFor();

        await page.getByRole('button', { name: 'Buy 20,000 credits for $20' }).click();
        await page.getByRole('button', { name: 'Pay by bank debit' }).click();
        await page.getByRole('heading', { name: 'Still pending' }).waitFor();
        await page.getByRole('link', { name: 'Back to credits' }).click();
        const rows = page.getByRole('table', { name: 'Purchases' }).getByRole('row');
        await rows.filter({ hasText: '$20' }).getByText('Pending').waitFor();
        const session = double.books.sessions.at(-1) as StripeObject;
        const event = double.books.succeedLater(session.id);
        expect((await double.deliver(event, stack.baseUrl)).status).toBe(200);
        await page.reload();
        await rows.filter({ hasText: '$20' }).getByText('Paid', { exact: true }).waitFor();

        const refund = double.books.refund(session.id, 500);
        expect((await double.deliver(refund, stack.baseUrl)).status).toBe(200);
        await page.reload();
        await rows.filter({ hasText: '$20' }).getByText('$5.00 refunded').waitFor();
        await page.getByRole('table', { name: 'Statement' }).getByText('Refund').waitFor();
        expect(await listAccessibilityFaults(page)).toEqual([]);
        expect(faults).toEqual([]);
      },
      journeyTimeoutMs,
    );

    it(
      'saves a card on the payment page, and a real call below the threshold charges it by itself',
      async () => {
        const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
        await signUp(page, 'hedy@example.com');
        const apiKey = await createKey(page);
        await page.goto('/credits');
        await page.getByRole('button', { name: 'Buy 5,000 credits for $5' }).click();
        await page.getByRole('button', { name: 'Pay', exact: true }).click();
        await page.getByRole('link', { name: 'Back to credits' }).click();
        await page.getByRole('button', { name: 'Save a card' }).click();
        await page.getByRole('button', { name: 'Save card' }).click();
        await page.getByText(/^Visa ending in 4242/).waitFor();
        const charged = double.books.payments.length;
        await turnOnTopUp(page);
        await call(stack, apiKey);
        await waitForAutomaticPurchase(page);
        expect(double.books.payments).toHaveLength(charged + 1);
        expect(double.books.payments.at(-1)).toMatchObject({ amount: 2_000, status: 'succeeded' });
        expect(faults).toEqual([]);
      },
      journeyTimeoutMs,
    );
  });

  describeOnEachDatabase('without a payment service', (openTestDatabase) => {
    let stack: Stack;
    beforeAll(async () => {
      // Never called: its key alone says that credits buy what costs money.
      stack = await startStack((await openTestDatabase()).address, { OPENAI_API_KEY: 'sk-never-called' });
    });
    afterAll(() => stack?.stop());

    it(
      'tries the automatic top-up out with a simulated card, fired by a real call',
      async () => {
        const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
        await signUp(page, 'joan@example.com');
        const apiKey = await createKey(page);
        await page.goto('/credits');
        await page.getByRole('button', { name: 'Buy 5,000 credits for $5' }).click();
        await page
          .getByText('They also buy answers from OpenAI, which the operator of this server pays for.')
          .waitFor();
        await page.getByRole('button', { name: /^Pay / }).click();
        await page.getByRole('link', { name: 'Back to credits' }).click();
        await page.getByRole('button', { name: 'Save a card' }).click();
        await page.getByText('Simulated card ending in 4242: no real money.').waitFor();
        await turnOnTopUp(page);
        expect(await listAccessibilityFaults(page)).toEqual([]);
        await call(stack, apiKey);
        await waitForAutomaticPurchase(page);
        await page.getByText('Automatic top-ups this month: $20.').waitFor();
        expect(faults).toEqual([]);
      },
      journeyTimeoutMs,
    );
  });
});

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create your key' }).click();
  const secret = page.getByRole('region', { name: 'your key' });
  await secret.waitFor();
  return (await secret.innerText()).trim();
}

/** Without the consent it is refused at the box; with it, it is on. */
async function turnOnTopUp(page: Page): Promise<void> {
  const card = page.getByRole('region', { name: 'Automatic top-up' });
  await card.getByRole('textbox', { name: 'Balance falls below' }).fill('4999.999');
  await card.getByRole('textbox', { name: 'Buy for' }).fill('20');
  await card.getByRole('textbox', { name: 'Monthly limit' }).fill('20');
  await card.getByRole('button', { name: 'Turn on' }).click();
  await card.getByText(/^Agree to the automatic charges/).waitFor();
  await card.getByRole('checkbox', { name: /^I agree that my saved card is charged/ }).check();
  await card.getByRole('button', { name: 'Turn on' }).click();
  await card.getByRole('button', { name: 'Turn off' }).waitFor();
}

async function call(stack: Stack, apiKey: string): Promise<void> {
  const response = await fetch(`${stack.baseUrl}/api/proxy.php/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(response.status).toBe(200);
}

async function waitForAutomaticPurchase(page: Page): Promise<void> {
  const row = page.getByRole('table', { name: 'Purchases' }).getByRole('row').filter({ hasText: 'automatic' });
  // The test's own time limit ends the wait: the charge is made beside the call, not before its answer.
  for (;;) {
    await page.reload();
    await page.getByRole('table', { name: 'Purchases' }).waitFor();
    if ((await row.count()) === 1 && (await row.innerText()).includes('Paid')) return;
    await page.waitForTimeout(200);
  }
}
