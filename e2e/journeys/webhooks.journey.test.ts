import type { Page } from 'playwright-core';
import { eventually } from '../../server/test/eventually.js';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { askOnPage, signUpOnPage } from '../support/page-account.js';
import { listAccessibilityFaults } from '../support/page-faults.js';
import { useSharedStack } from '../support/shared-stack.js';
import { isSignedBy, WebhookReceiver } from '../support/webhook-receiver.js';

/** The server looks for what is to be sent every few seconds, and the page for what became of it. */
const wait = { timeout: 40_000 };

interface Endpoints {
  readonly webhookEndpoints: readonly { readonly name: string; readonly isOn: boolean; readonly events: string[] }[];
}

describeInBrowser('an endpoint of one’s own', (openPage) => {
  const stack = useSharedStack();
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => receiver.close());

  const deliveriesOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  const listEndpoints = async (page: Page) =>
    (await askOnPage<Endpoints>(page, '{ webhookEndpoints { name isOn events } }')).webhookEndpoints;

  it('is named whole on the button that sends it a test, however long its name is, on a phone', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl, width: 390 });
    await signUpOnPage(page, 'Ida Rhodes');
    const input = { name: 'Z'.repeat(60), url: receiver.url, events: ['BALANCE_LOW'] };
    const create = 'mutation ($input: WebhookEndpointInput!) { createWebhookEndpoint(input: $input) { __typename } }';
    await askOnPage(page, create, { input });
    await page.goto('/webhooks');
    const words = page.getByRole('button', { name: /^Send a test to Z{60}$/ }).locator('.mantine-Button-label');
    const hiddenPixels = await words.evaluate((label) =>
      Math.max(label.scrollWidth - label.clientWidth, label.scrollHeight - label.clientHeight),
    );
    // Sizes are rounded.
    expect(hiddenPixels).toBeLessThanOrEqual(1);
  }, 60_000);

  it('is made, proved by a test that is refused and sent again, paused and deleted, by mouse', async () => {
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Grace Hopper');
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Pager');
    await dialog.getByRole('textbox', { name: 'URL' }).fill('ftp://example.com/hook');
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.getByText('Enter an https address').waitFor();
    await dialog.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await dialog.getByRole('checkbox', { name: 'Completed calls' }).check();
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.waitFor({ state: 'detached' });

    const card = page.getByRole('region', { name: 'Pager' });
    await card.getByText('Low balance, Budget at 50, 80, 100 %, Completed calls, Failed calls').waitFor();
    await card.getByRole('button', { name: 'Show secret' }).click();
    const secret = (await card.getByRole('region', { name: 'secret of Pager' }).innerText()).trim();
    await card.getByRole('button', { name: 'Hide secret' }).click();
    expect(await page.content()).not.toContain(secret);

    receiver.status = 500;
    await page.getByRole('button', { name: 'Send a test to Pager' }).click();
    const [first] = [deliveriesOf(page).nth(1)];
    await first.getByText('The webhook answered 500. 1 attempt').waitFor(wait);
    await first.getByRole('button', { name: /^Show / }).click();
    const body = (await dialog.getByRole('region', { name: 'body' }).innerText()).trim();
    expect(JSON.parse(body)).toMatchObject({ type: 'test' });
    expect(await listAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    receiver.status = 200;
    await first.getByRole('button', { name: /^Send again/ }).click();
    await first.getByText('Delivered').waitFor(wait);
    const [refused, taken] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(taken?.id).toBe(refused?.id);
    expect(taken?.body).toBe(body);
    expect(receiver.received.map((message) => isSignedBy(secret, message))).toEqual([true, true]);

    await card.getByRole('button', { name: 'Change Pager' }).click();
    await dialog.getByRole('checkbox', { name: 'On' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Off', { exact: true }).waitFor();
    expect(await listEndpoints(page)).toMatchObject([{ name: 'Pager', isOn: false }]);
    await card.getByRole('button', { name: 'Delete Pager' }).click();
    await dialog.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No endpoint yet').waitFor();
    expect(await listEndpoints(page)).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);

  it('is made, proved, given another secret, paused and deleted by keyboard alone', async () => {
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    const user = new KeyboardUser(page);
    const dialog = page.getByRole('dialog');
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const readSecret = async () => (await page.getByRole('region', { name: 'secret of Books' }).innerText()).trim();
    await signUpOnPage(page, 'Kathleen Booth');
    await user.jumpTo('deliveries', 'Webhooks');

    await user.pressOn(button('New endpoint'));
    await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Name' }));
    await user.expectTrappedIn(dialog);
    await user.expectEscapeReturnsTo(button('New endpoint'));
    await user.press('Enter');
    await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type('Books');
    await user.typeInto(dialog.getByRole('textbox', { name: 'URL' }), receiver.url);
    await user.tabTo(dialog.getByRole('checkbox', { name: 'Refused requests' }));
    await user.press('Space');
    await user.pressOn(dialog.getByRole('button', { name: 'Create endpoint' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/Failed calls, Refused requests$/).waitFor();
    await user.expectFocusKept();

    await user.pressOn(button('Show secret'));
    const secret = await readSecret();
    await user.pressOn(button('New secret for Books'));
    await user.expectTrappedIn(dialog);
    await user.expectEscapeReturnsTo(button('New secret for Books'));
    expect(await readSecret()).toBe(secret);
    await user.press('Enter');
    await user.pressOn(dialog.getByRole('button', { name: 'Create a new secret' }));
    await dialog.waitFor({ state: 'detached' });
    await user.expectFocusOn(button('New secret for Books'));
    const another = await readSecret();
    expect(another).not.toBe(secret);

    await user.pressOn(button('Send a test to Books'));
    const first = deliveriesOf(page).nth(1);
    await first.getByText('Delivered').waitFor(wait);
    await user.expectFocusOn(button('Send a test to Books'));
    const show = first.getByRole('button', { name: /^Show / });
    await user.pressOn(show);
    await dialog.getByRole('region', { name: 'body' }).getByText('"test"').waitFor();
    await user.expectTrappedIn(dialog);
    await user.expectEscapeReturnsTo(show);
    await user.pressOn(first.getByRole('button', { name: /^Send again/ }));
    await eventually(() => receiver.received.length >= 2, 200);
    expect(receiver.received.map((message) => isSignedBy(another, message))).toEqual([true, true]);
    await first.getByText('Delivered').waitFor(wait);

    await user.tabBackTo(button('Change Books'));
    await user.press('Enter');
    await user.tabTo(dialog.getByRole('checkbox', { name: 'On' }));
    await user.press('Space');
    await user.pressOn(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Off', { exact: true }).waitFor();
    await user.expectFocusOn(button('Change Books'));
    await user.pressOn(button('Delete Books'));
    await user.expectTrappedIn(dialog);
    await user.expectEscapeReturnsTo(button('Delete Books'));
    await user.press('Enter');
    await user.pressOn(dialog.getByRole('button', { name: 'Delete endpoint' }));
    await page.getByText('No endpoint yet').waitFor();
    await user.expectFocusKept();
    expect(await listEndpoints(page)).toEqual([]);
    expect(faults).toEqual([]);
  }, 120_000);
});
