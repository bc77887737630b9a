import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { FakeUpstream } from '../../server/test/fake-upstream.js';
import { describeInBrowser } from '../support/browser.js';
import { askOnPage, buyCredits, findAvailable, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { type Stack, startStack } from '../support/start-stack.js';

// One white pixel.
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
);

/** Nearer than that to the end of the page, one reads along. */
const readsAlongPx = 120;

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
      await page.getByRole('button', { name: 'Clear conversation' }).click();
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
      // The refusal for an empty balance is a failed request to the browser as well.
      expect(faults.filter((fault) => !fault.includes('402'))).toEqual([]);
    }, 90_000);

    it('asks two models at once, within the worst case that it told, and sends a picture to both', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Ida Rhodes');
      await buyCredits(page, 50);
      await page.goto('/playground?model=gpt-4o-mini');
      await page.getByRole('combobox', { name: 'Compare with' }).click();
      await page.getByRole('option', { name: 'gpt-4o', exact: true }).click();
      await page.keyboard.press('Escape');
      await page.getByText('Each message is sent and billed 2 times.').waitFor();
      await page.getByRole('textbox', { name: 'Max output tokens' }).fill('200');
      await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
      await page.getByRole('img', { name: '1 to be sent' }).waitFor();
      await page.getByRole('textbox', { name: 'Your message' }).fill('Hello');
      await page.getByRole('button', { name: 'Estimate cost' }).click();
      const worst = await page
        .getByRole('status')
        .getByText(/^At most [\d.]+ credits\.$/)
        .innerText();

      const before = await findAvailable(page);
      await page.getByRole('button', { name: 'Send' }).click();
      for (const model of ['gpt-4o-mini', 'gpt-4o']) {
        const answer = page.getByRole('article', { name: `Answer of ${model}`, exact: true });
        await answer.getByText(/^TTFT \d/).waitFor();
        const [sent] = upstream.requests.filter(({ body }) => body?.model === model).slice(-1);
        expect(JSON.stringify(sent?.body?.messages)).toContain('data:image/jpeg;base64,');
      }
      const spent = before - (await findAvailable(page));
      expect(await page.getByText(/in this conversation$/).innerText()).toContain(
        ` ${(spent / 1_000).toFixed(3)} in this conversation`,
      );
      expect(spent).toBeLessThanOrEqual(Number(/[\d.]+/.exec(worst)?.[0]) * 1_000);

      const tools = '[{"type":"function","function":{"name":"get_weather"}}]';
      await page.getByRole('textbox', { name: 'Tools' }).fill(tools);
      await page.getByRole('textbox', { name: 'Your message' }).fill('Weather? @@says=tool');
      await page.getByRole('button', { name: 'Send' }).click();
      const called = page.getByRole('article', { name: 'Answer of gpt-4o', exact: true }).nth(1);
      await called.getByText('Calls the tool get_weather.').waitFor();
      expect(await called.getByRole('region', { name: 'input of get_weather' }).innerText()).toContain('"Paris"');
      expect(faults).toEqual([]);
    }, 90_000);

    it('goes on while another page is shown, and ends in every tab with the session, with nothing left for the next', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Grace Hopper');
      await buyCredits(page, 5);
      const other = await page.context().newPage();
      await other.goto('/');
      await page.goto('/playground?model=gpt-4o-mini');
      await page.getByRole('textbox', { name: 'Your message' }).fill('Private words @@words=4000 @@delay=3');
      await page.getByRole('button', { name: 'Send' }).click();
      const answer = page.getByRole('article', { name: 'Answer of gpt-4o-mini' });
      await answer.getByText('word word').waitFor();
      await page.getByRole('link', { name: 'Requests' }).first().click();
      await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
      await page.goBack();
      await answer.getByText('word word').waitFor();
      await page.getByRole('button', { name: 'Stop' }).waitFor();

      await other.getByRole('button', { name: /^Account of/ }).click();
      await other.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toMatch(/private|word word/i);
      await signUpOnPage(page, 'Mary Keller');
      await page.goto('/playground');
      await page.getByRole('textbox', { name: 'Your message' }).waitFor();
      expect(await page.getByText('Private words').count()).toBe(0);
    }, 90_000);

    it('keeps the newest text in sight while it is written, unless one has scrolled up, and again at the end', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Kathleen Antonelli');
      await buyCredits(page, 5);
      await page.goto('/playground?model=gpt-4o-mini');
      const measure = () =>
        page.evaluate<{ top: number; left: number; height: number }>(
          `(({ scrollTop: top, scrollHeight: height, clientHeight }) => ({ top, height, left: height - clientHeight - top }))(document.documentElement)`,
        );
      const grow = async (px: number) => {
        const { height } = await measure();
        await eventually(async () => (await measure()).height >= height + px, 30);
      };
      await page.getByRole('textbox', { name: 'Your message' }).fill('@@words=6000 @@delay=3');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('article', { name: 'Answer of gpt-4o-mini' }).getByText('word word').waitFor();
      await eventually(async () => (await measure()).top >= 300, 30);
      expect((await measure()).left).toBeLessThan(readsAlongPx);

      await page.mouse.move(400, 300);
      await page.mouse.wheel(0, -400);
      await eventually(async () => (await measure()).left >= 300, 30);
      const { top } = await measure();
      await grow(200);
      expect(Math.abs((await measure()).top - top)).toBeLessThan(2);

      await page.evaluate('window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" })');
      await page.waitForTimeout(100);
      await grow(200);
      expect((await measure()).left).toBeLessThan(readsAlongPx);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Send' }).waitFor();
    }, 120_000);

    it('has the end of the conversation in sight on a phone, where the parameters stand below it', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl, width: 390 });
      await signUpOnPage(page, 'Betty Holberton');
      await buyCredits(page, 5);
      await page.goto('/playground?model=gpt-4o-mini');
      await page.getByRole('textbox', { name: 'Your message' }).fill('@@words=400');
      await page.getByRole('textbox', { name: 'Your message' }).press('Enter');
      const answer = page.getByRole('article', { name: 'Answer of gpt-4o-mini' });
      await answer.getByText(/^TTFT \d/).waitFor();
      const seen = `(() => {
        const { bottom } = [...document.querySelectorAll('[role=log] article')].at(-1).getBoundingClientRect();
        return bottom > 0 && bottom < innerHeight;
      })()`;
      await eventually(async () => page.evaluate<boolean>(seen), 30);
    }, 90_000);

    it('keeps a prompt whose variable it asks for, and takes a schema only as JSON', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Mary Tsingou');
      await page.goto('/playground');
      const message = page.getByRole('textbox', { name: 'Your message' });
      await message.fill('Tell me about {{topic}}.');
      await page.getByRole('button', { name: 'Prompts' }).click();
      await page.getByRole('textbox', { name: 'Name of this prompt' }).fill('Explain');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.keyboard.press('Escape');
      await message.fill('');
      await page.reload();
      await page.getByRole('button', { name: 'Prompts' }).click();
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'topic' }).fill('tolls');
      await page.getByRole('button', { name: 'Use prompt' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await message.inputValue()).toBe('Tell me about tolls.');

      const schema = page.getByRole('textbox', { name: 'JSON schema' });
      await schema.fill('{"type":');
      await page.getByText('Write one JSON object').waitFor();
      expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(false);
      await schema.fill('{"type":"object"}');
      await page.getByText('Write one JSON object').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'View code' }).click();
      const code = await page.getByRole('region', { name: 'curl code' }).innerText();
      expect(code).toContain('"json_schema": {');
      expect(faults).toEqual([]);
    }, 90_000);

    it('has what is written in Arabic begin at the right, in its field and in the conversation', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Rim Turki');
      await buyCredits(page, 5);
      await page.goto('/playground');
      const message = page.getByRole('textbox', { name: 'Your message' });
      await message.waitFor();
      const bidi = "getComputedStyle(document.querySelector('textarea[name=message]')).unicodeBidi";
      expect(await page.evaluate(bidi)).toBe('plaintext');
      await message.fill('ما هي رسوم المرور؟');
      await message.press('Enter');
      await page.getByText(/^TTFT \d/).waitFor();
      const [left, right] = await page.evaluate<[number, number]>(`(() => {
        const line = document.querySelector('[data-role=user] p');
        const range = document.createRange();
        range.selectNodeContents(line);
        const [words, box] = [range.getBoundingClientRect(), line.getBoundingClientRect()];
        return [words.left - box.left, box.right - words.right];
      })()`);
      expect(left).toBeGreaterThan(50);
      expect(right).toBeLessThan(2);
      expect(faults).toEqual([]);
    }, 90_000);

    it('has conversations and settings in another browser once the account keeps them, and nowhere before and after', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Joan Clarke');
      await buyCredits(page, 5);
      await page.goto('/playground');
      await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in one sentence.');
      await page.getByRole('textbox', { name: 'Your message' }).fill('What is a toll?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^TTFT \d/).waitFor();
      const keptHere = async () =>
        (await askOnPage<{ personalItems: object[] }>(page, '{ personalItems(kind: CONVERSATION) { name } }'))
          .personalItems.length;
      expect(await keptHere()).toBe(0);
      await page.getByRole('switch', { name: 'Keep in my account' }).click();
      await eventually(async () => (await keptHere()) === 1, 200);

      const { page: elsewhere } = await openPage({ baseUrl: stack.baseUrl });
      await elsewhere.goto('/playground');
      await signInOnPage(elsewhere, 'Joan Clarke');
      await elsewhere.getByRole('combobox', { name: 'Conversation' }).click();
      await elsewhere.getByRole('option', { name: 'What is a toll?' }).click();
      const answer = elsewhere.getByRole('article', { name: 'Answer of demo-small' });
      await answer.getByText('You said: What is a toll?').waitFor();
      expect(await elsewhere.getByRole('textbox', { name: 'System prompt' }).inputValue()).toBe(
        'Answer in one sentence.',
      );
      await elsewhere.getByRole('textbox', { name: 'Your message' }).fill('And a gate?');
      const saved = elsewhere.waitForResponse(
        (response) => response.request().postData()?.includes('mutation SavePersonalItem') === true,
      );
      await elsewhere.getByRole('button', { name: 'Send' }).click();
      await answer
        .nth(1)
        .getByText(/^TTFT \d/)
        .waitFor();
      await saved;

      await page.reload();
      await page.getByText('You said: And a gate?').waitFor();
      await page.getByRole('switch', { name: 'Keep in my account' }).click();
      await page.getByRole('button', { name: 'Delete from the account' }).click();
      await page.getByText('Conversations and settings stay in this tab').waitFor();
      // The words change before what the account keeps is deleted.
      await eventually(async () => (await keptHere()) === 0, 200);
      await page.getByText('You said: And a gate?').waitFor();
      expect(faults).toEqual([]);
    }, 90_000);
  });
});
