import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { FakeUpstream } from '../../server/test/fake-upstream.js';
import { describeInBrowser } from '../support/browser.js';
import { buyCredits, findAvailable, signUpOnPage } from '../support/page-account.js';
import { type Stack, startStack } from '../support/start-stack.js';

describeInBrowser('the playground', (openPage) => {
  describeOnEachDatabase('asked, stopped and refused', (openTestDatabase) => {
    let upstream: FakeUpstream;
    let stack: Stack;
    beforeAll(async () => {
      upstream = await FakeUpstream.start();
      stack = await startStack((await openTestDatabase()).address, {
        OPENAI_API_KEY: 'sk-operator-canary-0123456789',
        OPENAI_BASE_URL: upstream.baseUrl,
        OPENAI_STOPS_ON_ABORT: 'on',
        LEFT_CALL_GRACE_SECONDS: '0',
      });
    });
    afterAll(async () => {
      await stack?.stop();
      await upstream?.close();
    });

    it('streams an answer with its price, stops one that hangs and tells what that cost, and shows the code', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Hedy Lamarr');
      await page.goto('/playground');
      const message = page.getByRole('textbox', { name: 'Your message' });

      await message.fill('Hello');
      await message.press('Enter');
      await page.getByRole('alert').getByText('exceeded your current quota').waitFor();

      await buyCredits(page, 5);
      await page.getByRole('button', { name: 'Clear' }).click();
      const before = await findAvailable(page);
      await message.fill('Hello');
      await message.press('Enter');
      const answer = page.getByRole('article', { name: 'Answer of demo-small' });
      await answer.getByText(/^TTFT \d/).waitFor();
      expect(await answer.innerText()).toContain('You said: Hello');
      const credits = /([\d.]+) credits/.exec(await answer.innerText())?.[1];
      expect(before - (await findAvailable(page))).toBe(Math.round(Number(credits) * 1_000));

      await page.getByRole('combobox', { name: 'Model' }).click();
      await page.getByRole('option', { name: 'gpt-4o-mini', exact: true }).click();
      await message.fill('@@stall-mid please');
      await page.getByRole('button', { name: 'Send' }).click();
      // Stopped before anything was written, it would be free.
      await page.getByRole('article', { name: 'Answer of gpt-4o-mini' }).getByText('Hello').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText(/^Stopped after \d+ tokens: [\d.]+ credits/).waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();

      await page
        .getByRole('spinbutton', { name: 'Temperature' })
        .or(page.getByLabel('Temperature'))
        .first()
        .fill('0.5');
      await page.getByRole('button', { name: 'View code' }).click();
      await page.getByRole('tab', { name: 'Python' }).click();
      const code = await page.getByRole('region', { name: 'Python code' }).innerText();
      expect(code).toContain('model="gpt-4o-mini"');
      expect(code).toContain('temperature=0.5');
      expect(code).toContain('stream=True');
      // The refusal for an empty purse is a failed request to the browser as well.
      expect(faults.filter((fault) => !fault.includes('402'))).toEqual([]);
    }, 90_000);
  });
});
