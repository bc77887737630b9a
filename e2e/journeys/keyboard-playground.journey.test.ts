import { FakeUpstream } from '../../server/test/fake-upstream.js';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { useOwnStack } from '../support/own-stack.js';
import { buyCredits, signUpOnPage } from '../support/page-account.js';

describeInBrowser('the playground by keyboard alone', (openPage) => {
  describe('from the model to the code', () => {
    let upstream: FakeUpstream;
    beforeAll(async () => {
      upstream = await FakeUpstream.start();
    });
    const stack = useOwnStack(() => ({
      OPENAI_API_KEY: 'sk-operator-canary-0123456789',
      OPENAI_BASE_URL: upstream.baseUrl,
      OPENAI_STOPS_ON_ABORT: 'on',
      LEFT_CALL_GRACE_SECONDS: '0',
    }));
    afterAll(() => upstream?.close());

    it('chooses a model, asks, stops an answer that hangs, opens the code, and clears the talk', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Hedy Lamarr');
      await buyCredits(page, 5);
      await user.jumpTo('prompt', 'Playground');
      const model = page.getByRole('combobox', { name: 'Model' });
      await user.choose(model, 'gpt-4o-mini');
      await user.expectFocusOn(model);

      const message = page.getByRole('textbox', { name: 'Your message' });
      await user.tabBackTo(message);
      await page.keyboard.type('Hello');
      await user.press('Enter');
      const answer = page.getByRole('article', { name: 'Answer of gpt-4o-mini' });
      await answer.getByText(/^TTFT \d/).waitFor();
      await user.expectFocusOn(message);

      await page.keyboard.type('@@stall-mid please');
      await user.pressOn(page.getByRole('button', { name: 'Send' }));
      await user.expectFocusOn(page.getByRole('button', { name: 'Stop' }));
      await answer.nth(1).getByText('Waiting for the first token').waitFor({ state: 'detached' });
      await user.press('Enter');
      await page.getByText(/^Stopped after \d+ tokens: [\d.]+ credits/).waitFor();
      await user.expectFocusKept();

      // The connection is lost once.
      await page.route('**/playground/chat/completions', (route) => route.abort(), { times: 1 });
      await user.tabBackTo(message);
      await page.keyboard.type('Once more');
      await user.press('Enter');
      await user.pressOn(page.getByRole('button', { name: 'Try again' }));
      await answer
        .nth(2)
        .getByText(/^TTFT \d/)
        .waitFor();
      await user.expectFocusKept();
      await user.tabTo(message);

      const viewCode = page.getByRole('button', { name: 'View code' });
      await user.tabBackTo(viewCode);
      await user.press('Enter');
      const dialog = page.getByRole('dialog');
      await user.tabTo(dialog.getByRole('tab', { name: 'curl' }));
      await user.press('ArrowRight');
      await dialog.getByRole('region', { name: 'Python code' }).waitFor();
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(viewCode);

      await user.pressOn(page.getByRole('button', { name: 'Clear' }));
      await user.pressOn(page.getByRole('button', { name: 'Clear conversation' }));
      await page.getByText('Ask something').waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Playground', level: 1 }));
      expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([]);
    }, 60_000);
  });
});
