import type { Browser, Locator, Page } from 'playwright-core';
import { waitUntilCalm } from '../e2e/support/page-calm.js';
import { Screen, type Visitor } from './screen.js';

export interface Interaction {
  readonly name: string;
  readonly act: (page: Page) => Promise<void>;
}

/** On each page, in this order. */
const interactionsOfPage: Readonly<Record<string, readonly Interaction[]>> = {
  '/': [
    { name: 'switch the colours', act: (page) => press(page.getByRole('button', { name: /^Colours/ })) },
    { name: 'open the palette', act: (page) => press(page.getByRole('button', { name: 'Search or jump to' })) },
    { name: 'type in the palette', act: (page) => typeSlowly(page, 'usage') },
  ],
  '/usage': [
    { name: 'another tab of the usage', act: (page) => press(page.getByRole('tab', { name: 'Tokens' })) },
    { name: 'group the usage by key', act: (page) => press(page.getByText('By key', { exact: true })) },
  ],
  '/keys': [
    { name: 'open the form of a key', act: (page) => press(page.getByRole('button', { name: /^Change/ }).first()) },
  ],
  '/requests': [
    { name: 'open a filter of the calls', act: (page) => press(page.getByRole('combobox', { name: 'Model' })) },
    { name: 'choose in that filter', act: (page) => press(page.getByRole('option').first()) },
    {
      name: 'open a receipt',
      act: (page) => press(page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(3)),
    },
  ],
  '/playground': [
    {
      name: 'type in the playground',
      act: async (page) => {
        await press(page.getByRole('textbox', { name: 'Your message' }));
        await typeSlowly(page, 'a toll');
      },
    },
  ],
};

export interface InteractionTime {
  readonly name: string;
  readonly paintMs: number;
  readonly taskMs: number;
}

/** Everything once, on pages whose files the browser has and that are at rest. */
export async function timeInteractions(
  browser: Browser,
  baseUrl: string,
  visitor: Visitor,
): Promise<InteractionTime[]> {
  const visit = await Screen.openVisit(browser, baseUrl, visitor);
  try {
    const times: InteractionTime[] = [];
    for (const [path, interactions] of Object.entries(interactionsOfPage)) {
      const screen = await Screen.open(visit);
      await screen.page.goto(path);
      await waitUntilCalm(screen.page);
      await screen.slowDown();
      for (const { name, act } of interactions) times.push({ name, ...(await screen.timeInteraction(act)) });
      await screen.page.close();
    }
    return times;
  } finally {
    await visit.close();
  }
}

/** With the bare mouse: the driver's own click looks around on the page in the very moment that is measured. */
async function press(target: Locator): Promise<void> {
  await target.waitFor();
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${target} has no place on the page.`);
  const { mouse } = target.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await mouse.up();
}

async function typeSlowly(page: Page, words: string): Promise<void> {
  await page.waitForTimeout(keyPauseMs);
  await page.keyboard.type(words, { delay: keyPauseMs });
}

const keyPauseMs = 120;
