import { eventually } from '../../server/test/eventually.js';
import { describeInBrowser } from '../support/browser.js';
import { useOwnStack } from '../support/own-stack.js';
import { askOnPage, buyCredits, nameOnPage, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { listAccessibilityFaults } from '../support/page-faults.js';

const settingsScripts = '**/assets/settings-*.js';
/** 400 kbit/s with 400 ms to the server and back, as browsers name it. */
const slow3g = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

describeInBrowser('interruptions', (openPage) => {
  const stack = useOwnStack();

  it('of the session lead through sign-in and back, with the question that was being written', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Mary Shaw');
    await page.goto('/playground');
    await page.getByRole('textbox', { name: 'Your message' }).fill('Do not lose me');
    await askOnPage(page, 'mutation { signOut }');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your session has ended').waitFor();
    await signInOnPage(page, 'Mary Shaw');
    await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Your message' }).inputValue()).toBe('Do not lose me');
  }, 60_000);

  it('of the server are said in words, and end by themselves where a page renews itself, by one press elsewhere', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Frances Allen');
    const goTo = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
    const alert = page.getByRole('alert').first();
    await goTo('Usage');
    await page.getByText('No calls in this time').waitFor();
    await stack.stop();

    await goTo('Overview');
    await alert.getByText('Tollgate cannot be reached').waitFor();
    await stack.startAgain();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Balance' }).waitFor();

    await goTo('Usage');
    await page.getByText('No calls in this time').waitFor();
    await stack.stop();
    await page.getByText('By provider', { exact: true }).click();
    await alert.getByText('Tollgate cannot be reached').waitFor();
    await stack.startAgain();
    await page.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByText('No calls in this time').waitFor();
  }, 90_000);

  it('of a page’s own script leave the frame and the other pages usable, and end by a reload', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    // Before anything: pages fetch each other's scripts when they are idle.
    await page.route(settingsScripts, (route) => route.abort());
    await signUpOnPage(page, 'Jean Sammet');
    const goTo = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
    await goTo('Settings');
    await page.getByRole('heading', { name: 'This page could not be loaded', level: 1 }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await listAccessibilityFaults(page)).toEqual([]);
    await goTo('Keys');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await goTo('Settings');
    await page.getByRole('heading', { name: 'This page could not be loaded', level: 1 }).waitFor();
    await page.unroute(settingsScripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  }, 60_000);

  it('of the connection end by themselves on a page that was never opened before', async () => {
    const { page, context } = await openPage({ baseUrl: stack.baseUrl });
    await page.route(settingsScripts, (route) => route.abort());
    await signUpOnPage(page, 'Adele Goldberg');
    await context.setOffline(true);
    await page.unroute(settingsScripts);
    await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
    await page.getByText('The page opens when you are back online').waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  }, 60_000);

  it('of one answer are said with their status and mended by one press', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Karen Jones');
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query ApiKeys')
        ? route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Internal error</h1>' })
        : route.continue(),
    );
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    const alert = page.getByRole('alert').first();
    await alert.getByText('Your keys could not be loaded').waitFor();
    await alert.getByText('HTTP 500').waitFor();
    await page.unroute('**/graphql');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Your keys', level: 2 }).waitFor();
    await alert.waitFor({ state: 'detached' });
  }, 60_000);

  it('by an error of a page are told to the server’s log, without its words', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Lynn Conway');
    // Whatever page writes a date breaks.
    await page.evaluate(() => {
      const broken = () => {
        throw new TypeError('a private word');
      };
      Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { get: broken });
      Object.defineProperty(Intl.DateTimeFormat.prototype, 'formatToParts', { get: broken });
    });
    const told = page.waitForRequest('**/page-faults');
    await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Something went wrong on this page', level: 1 }).waitFor();
    const body = (await told).postData() ?? '';
    expect(JSON.parse(body)).toMatchObject({ name: 'TypeError', page: '/settings' });
    expect(body).not.toContain('a private word');
    await eventually(() => stack.log.some(({ event }) => event === 'page_broke'), 100);
    expect(JSON.stringify(stack.log)).not.toContain('a private word');
  }, 60_000);

  it('are none where the connection is only slow: each page comes whole, and nothing is said to have failed', async () => {
    const { page, context, faults } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Radia Perlman');
    const session = await context.newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', slow3g);
    const wait = { timeout: 60_000 };
    await page.goto('/', wait);
    await page.getByRole('region', { name: 'Balance' }).waitFor(wait);
    for (const name of ['Usage', 'Keys']) {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.getByRole('heading', { name, level: 1 }).waitFor(wait);
      await page
        .locator('.mantine-Skeleton-root')
        .first()
        .waitFor({ state: 'detached', ...wait });
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    expect(faults).toEqual([]);
  }, 240_000);

  it('in one tab are none of another: what is bought in one is seen in the other', async () => {
    const { page, openTab } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Karen Sparck Jones');
    const other = await openTab();
    await other.goto('/');
    const balance = other.getByRole('region', { name: 'Balance' });
    const before = await balance.getByRole('paragraph').first().innerText();
    await buyCredits(page, 5);
    await balance.getByText(before, { exact: true }).waitFor({ state: 'detached' });
    expect(await balance.getByRole('paragraph').first().innerText()).toMatch(/^[\d,.]+ credits$/);
  }, 60_000);

  it('by signing out in another tab end this one’s session at once, before anything is pressed, and forget its drafts', async () => {
    const { page, context } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Barbara Liskov');
    await page.goto('/playground');
    await page.getByRole('textbox', { name: 'Your message' }).fill('Nobody else reads this');
    const other = await context.newPage();
    await other.goto('/keys');
    await other.getByRole('button', { name: `Account of ${nameOnPage('Barbara Liskov')}` }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('You are signed out').waitFor();
    await signInOnPage(page, 'Barbara Liskov');
    await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Your message' }).inputValue()).toBe('');
  }, 60_000);

  it('by the end of the session without a word to its tabs leave nothing to the next person, in none of them', async () => {
    const { page, context } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Kathleen Booth');
    await page.goto('/playground');
    await page.getByRole('textbox', { name: 'Your message' }).fill('Nobody else reads this');
    const other = await context.newPage();
    await other.goto('/keys');
    await other.getByRole('button', { name: `Account of ${nameOnPage('Kathleen Booth')}` }).waitFor();
    await askOnPage(page, 'mutation { signOut }');
    await signUpOnPage(page, 'Jean Bartik');
    await page.goto('/playground');
    expect(await page.getByRole('textbox', { name: 'Your message' }).inputValue()).toBe('');
    await other.getByRole('button', { name: `Account of ${nameOnPage('Jean Bartik')}` }).waitFor();
  }, 60_000);
});
