import { createHash, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Download, Page } from 'playwright-core';

/** Suites of one process share this module. */
const processWord = randomBytes(4).toString('hex');

export const journeyPassword = 'a ship in port is safe';

/** Signs up on the page and waits for the overview. */
export async function signUpOnPage(page: Page, name: string): Promise<void> {
  await page.goto('/sign-up');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf(name));
  await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** Signs in on the form that the page shows. */
export async function signInOnPage(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf(name));
  await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in with an address as it is, such as the demo account's, and waits for the overview. */
export async function signInAs(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** The address of this person; another one in each suite, since suites share a server. */
export function emailOf(name: string): string {
  const suite = createHash('sha256').update(`${processWord} ${expect.getState().testPath}`).digest('hex').slice(0, 8);
  return `${name.toLowerCase().replaceAll(' ', '.')}.${suite}@example.com`;
}

/** What the dashboard calls this person, who gave no name. */
export function nameOnPage(name: string): string {
  return emailOf(name).split('@')[0] ?? '';
}

/** The newest link below this path in the mails to an address, once it is there: the mailbox of the demo shows what would have been sent. */
export async function findMailedLink(page: Page, email: string, path: string): Promise<string> {
  for (;;) {
    await page.goto('/mailbox');
    const mail = page
      .getByRole('article')
      .filter({ hasText: email })
      .getByRole('link', { name: new RegExp(path) });
    if ((await mail.count()) > 0) return String(await mail.first().getAttribute('href'));
    await page.waitForTimeout(500);
  }
}

/** Asks GraphQL as whoever is signed in on the page. @throws with the errors, if there are any. */
export async function askOnPage<Data>(page: Page, query: string, variables: object = {}): Promise<Data> {
  const answer = await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/graphql', { method: 'POST', headers, body });
    return (await response.json()) as { data?: unknown; errors?: unknown };
  }, JSON.stringify({ query, variables }));
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data as Data;
}

/** Buys credits by the simulated checkout, as its Pay button would. */
export async function buyCredits(page: Page, dollars: number): Promise<void> {
  const { startCheckout } = await askOnPage<{ startCheckout: { url: string } }>(
    page,
    'mutation ($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { url } }',
    { dollars },
  );
  await fetch(`${startCheckout.url}/pay`, { method: 'POST', redirect: 'manual' });
}

/** What the browser was given to save. The browser may run elsewhere, so there need be no file here. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

/** Makes the account's key. */
export async function createKey(page: Page): Promise<string> {
  const { createApiKey } = await askOnPage<{ createApiKey: { secret: string } }>(
    page,
    'mutation { createApiKey(input: { name: "Laptop" }) { secret } }',
  );
  return createApiKey.secret;
}

/** What is available now, in whole millicredits. */
export async function findAvailable(page: Page): Promise<number> {
  const { viewer } = await askOnPage<{ viewer: { balance: { available: number } } }>(
    page,
    '{ viewer { balance { available } } }',
  );
  return Math.round(viewer.balance.available * 1_000);
}

/** Calls the proxy as a program would, and reads the answer to its end. */
export async function callProxy(baseUrl: string, secret: string, body: object): Promise<Response> {
  const response = await fetch(`${baseUrl}/api/proxy.php`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
  await response.text();
  return response;
}
