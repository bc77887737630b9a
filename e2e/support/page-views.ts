import type { Page } from 'playwright-core';
import { waitUntilCalm } from './page-calm.js';

/** Something to be looked at: a page, or what opens on top of it. */
export interface PageView {
  readonly title: string;
  readonly path: string;
  /** Brings the page to where it is looked at; left out: as it opens. */
  show?(page: Page): Promise<void>;
  /** Showing it changes what other pages of the account show, so nothing else is looked at meanwhile. */
  readonly changesAccount?: boolean;
}

/** Opens the view as a visitor sees it: drawn whole, and brought to where it is looked at. */
export async function openView(page: Page, { path, show }: Pick<PageView, 'path' | 'show'>): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilCalm(page);
  if (show === undefined) return;
  await show(page);
  await waitUntilCalm(page);
}

export const viewsOutside: readonly PageView[] = [
  { title: 'landing', path: '/' },
  { title: 'sign-in', path: '/sign-in' },
  { title: 'sign-up', path: '/sign-up' },
  { title: 'models-outside', path: '/models' },
  { title: 'models-compared', path: '/models?compare=demo-small,demo-large' },
  {
    title: 'model-outside',
    path: '/models',
    show: async (page) => {
      await page.getByRole('link', { name: 'demo-small', exact: true }).click();
      await page.getByRole('heading', { name: 'demo-small', level: 1 }).waitFor();
    },
  },
  { title: 'pricing-outside', path: '/pricing' },
  { title: 'status-outside', path: '/status' },
  { title: 'quickstart-outside', path: '/quickstart' },
  { title: 'shared-receipt-ended', path: '/receipt#a-token-of-a-link' },
  { title: 'verify-email', path: '/verify-email#a-token-of-a-mail' },
  { title: 'verify-email-not-whole', path: '/verify-email' },
  { title: 'forgot-password', path: '/forgot-password' },
  { title: 'reset-password', path: '/reset-password#a-token-of-a-mail' },
  { title: 'confirm-email', path: '/confirm-email#a-token-of-a-mail' },
  { title: 'undo-email-change', path: '/undo-email-change#a-token-of-a-mail' },
  { title: 'join', path: '/join#a-token-of-a-mail' },
  { title: 'recover-factors', path: '/recover-factors#a-token-of-a-mail' },
  {
    title: 'sign-up-faults',
    path: '/sign-up',
    show: async (page) => {
      await page.getByRole('button', { name: 'Create account' }).click();
    },
  },
];

/** Every page behind the sign-in, as it opens. */
export const pagesInside: readonly PageView[] = [
  { title: 'overview', path: '/' },
  { title: 'usage', path: '/usage' },
  { title: 'usage-tokens', path: '/usage?show=tokens&by=provider' },
  { title: 'usage-calls', path: '/usage?show=calls&by=key&range=12m' },
  { title: 'explore', path: '/explore' },
  { title: 'explore-times', path: '/explore?metric=p95&by=model&before=yes&range=7d' },
  { title: 'requests', path: '/requests' },
  { title: 'requests-filtered', path: '/requests?status=completed&streamed=yes&range=12m&columns=time,key,tag,status' },
  { title: 'playground', path: '/playground' },
  { title: 'models', path: '/models' },
  { title: 'model', path: '/models/demo-large' },
  { title: 'pricing', path: '/pricing' },
  { title: 'status', path: '/status' },
  { title: 'keys', path: '/keys' },
  { title: 'credits', path: '/credits' },
  { title: 'budgets', path: '/budgets' },
  { title: 'webhooks', path: '/webhooks' },
  {
    title: 'webhook-form',
    path: '/webhooks',
    show: async (page) => {
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'URL' }).waitFor();
    },
  },
  { title: 'proof', path: '/proof' },
  { title: 'proof-narrowed', path: '/proof?lines=in&range=7d' },
  { title: 'quickstart', path: '/quickstart' },
  { title: 'settings', path: '/settings' },
  { title: 'members', path: '/settings/members' },
];

/** What needs nothing but an account. */
export const viewsWithoutData: readonly PageView[] = [
  { title: 'not-found', path: '/no-such-page' },
  { title: 'model-not-found', path: '/models/no-such-page' },
  {
    title: 'palette',
    path: '/models',
    show: async (page) => {
      await page.keyboard.press('Control+K');
      await page.getByRole('textbox', { name: 'Search or jump to' }).waitFor();
    },
  },
  {
    title: 'bell',
    path: '/budgets',
    show: async (page) => {
      await page.getByRole('button', { name: /^Notifications/ }).click();
      await page.getByRole('link', { name: 'All notifications' }).waitFor();
    },
  },
  {
    title: 'usage-days',
    path: '/usage',
    show: async (page) => {
      await page.getByRole('button', { name: 'Custom' }).click();
      await page.getByRole('button', { name: 'Show these days' }).waitFor();
    },
  },
  { title: 'key-form', path: '/keys', show: (page) => openKeyForm(page) },
  {
    title: 'key-form-limited',
    path: '/keys',
    show: async (page) => {
      await openKeyForm(page);
      await limitEverything(page);
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('Laptop');
    },
  },
  {
    title: 'key-form-faults',
    path: '/keys',
    show: async (page) => {
      await openKeyForm(page);
      await limitEverything(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('dialog').getByRole('alert').first().waitFor();
    },
  },
  {
    title: 'delete-account',
    path: '/settings',
    show: async (page) => {
      await page.getByRole('button', { name: 'Delete the account' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

/** The secret of a new key, which is the account's from then on. */
export const createdKeyView: PageView = {
  title: 'key-secret',
  path: '/keys',
  changesAccount: true,
  show: async (page) => {
    await openKeyForm(page);
    // What an earlier view typed is there again.
    const discard = page.getByRole('dialog').getByRole('button', { name: 'Discard' });
    if (await discard.isVisible()) await discard.click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('Laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('region', { name: 'your key', exact: true }).waitFor();
  },
};

// The newest call of all may be a free one, whose receipt has no balance after it.
const completedCalls = '/requests?status=completed';

/** What needs calls, and a key that is in force. */
export const viewsWithData: readonly PageView[] = [
  { title: 'receipt', path: completedCalls, show: openReceipt },
  {
    title: 'usage-table',
    path: '/usage?show=tokens&by=model&range=24h',
    show: (page) => page.getByText('Show this chart as a table').click(),
  },
  {
    title: 'usage-months',
    path: '/usage?by=model&range=12m&per=month',
    show: (page) => page.getByText('Show this chart as a table').click(),
  },
  { title: 'requests-none-fits', path: '/requests?status=expired' },
  { title: 'explore-table', path: '/explore?as=table&by=key&also=model&before=yes&in=dollars' },
  { title: 'key-change', path: '/keys', show: (page) => openKeyDialog(page, 'Change') },
  { title: 'key-rotate', path: '/keys', show: (page) => openKeyDialog(page, 'Rotate') },
  { title: 'key-revoke', path: '/keys', show: (page) => openKeyDialog(page, 'Revoke') },
  { title: 'playground-answer', path: '/playground', show: askPlayground, changesAccount: true },
  { title: 'playground-kept', path: '/playground', show: keepPlayground, changesAccount: true },
  { title: 'webhooks-endpoint', path: '/webhooks', show: makeEndpoint, changesAccount: true },
  {
    title: 'playground-code',
    path: '/playground',
    show: async (page) => {
      await page.getByRole('button', { name: 'View code' }).click();
      await page.getByRole('region', { name: 'curl code' }).waitFor();
    },
  },
];

async function openKeyForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).waitFor();
}

async function openKeyDialog(page: Page, action: 'Change' | 'Rotate' | 'Revoke'): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^${action} `) })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
}

const limits = [
  ['Models', 'These models'],
  ['Providers', 'These providers'],
  ['Budget', 'At most'],
  ['Rate limit', 'At most'],
  ['IP allow-list', 'These addresses'],
  ['Expires', 'At the end of a day'],
] as const;

async function limitEverything(page: Page): Promise<void> {
  for (const [label, limited] of limits) {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: limited, exact: true }).click();
  }
}

async function openReceipt(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Receipt of the call/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('Balance after').waitFor();
}

async function askPlayground(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Your message' }).fill('What is a toll?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Receipt' }).waitFor();
}

async function keepPlayground(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Keep in my account' }).click();
  await page.getByText('Nobody else can read them').waitFor();
}

/** Nobody listens there, so that its test waits for another attempt. */
async function makeEndpoint(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Pager of the team that is on call at night');
  await dialog.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hooks/of-a-long-path/tollgate');
  await dialog.getByRole('checkbox', { name: 'Completed calls' }).check();
  await dialog.getByRole('button', { name: 'Create endpoint' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show secret' }).first().click();
  await page.getByRole('button', { name: /^Send a test to / }).click();
  await page.getByText('Test of the webhook').first().waitFor();
}
