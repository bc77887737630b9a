import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export type ColorScheme = 'light' | 'dark';
export type Width = 1280 | 768 | 390;

const knownPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// Without these, Chromium looks up its maker's hosts at every start, which a closed network refuses many times over.
const quietFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong on the page so far: uncaught errors, and errors of the console such as a refused script. */
  readonly faults: readonly string[];
}

export interface PageOptions {
  readonly baseUrl: string;
  readonly width?: Width;
  readonly colorScheme?: ColorScheme;
}

/** Opens an empty page with cookies of its own. Every wait on it is bounded. */
export type OpenPage = (options: PageOptions) => Promise<OpenedPage>;

/**
 * Defines a suite that drives a real Chromium, started once for the suite: the one that CHROMIUM_PATH names, or Debian's.
 * Where the machine has none the suite is shown as skipped; with CI=true it fails instead.
 */
export function describeInBrowser(title: string, defineTests: (openPage: OpenPage) => void): void {
  const executablePath = findChromium();
  if (executablePath === null && process.env.CI === 'true') throw new Error('CI is set, and there is no Chromium.');
  const describeWhereFound = executablePath === null ? describe.skip : describe;
  describeWhereFound(title, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchBrowser(String(executablePath));
    });
    afterAll(() => browser?.close());
    defineTests((options) => {
      if (browser === undefined) throw new Error('Pages can be opened inside tests only.');
      return openPage(browser, options);
    });
  });
}

/** Root, as in most containers, cannot have Chromium's own sandbox. Only our own pages are opened. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: quietFlags, chromiumSandbox: false });
}

/** The path of CHROMIUM_PATH, or of Debian's Chromium; null where there is neither. */
export function findChromium(): string | null {
  const candidates = [process.env.CHROMIUM_PATH ?? '', ...knownPaths];
  return candidates.find((path) => path !== '' && isExecutable(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function openPage(browser: Browser, options: PageOptions): Promise<OpenedPage> {
  const context = await browser.newContext({
    baseURL: options.baseUrl,
    viewport: viewportOf(options.width ?? 1280),
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  return { page, context, faults };
}

/** Six looks: at 1280, 768 and 390 pixels, light and dark. */
export const everyLook = ([1280, 768, 390] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** The two that differ most. */
export const farthestLooks: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
];

export interface Look {
  readonly width: Width;
  readonly colorScheme: ColorScheme;
}

/** Runs `look` on the page as it is, once in each of the looks. Leaves it as it was found. */
export async function forEachLook(
  page: Page,
  look: (name: string) => Promise<void>,
  looks: readonly Look[] = everyLook,
): Promise<void> {
  const viewport = page.viewportSize();
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize(viewportOf(width));
    await page.emulateMedia({ colorScheme });
    await waitForTransitions(page);
    await look(`${width}-${colorScheme}`);
  }
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null });
}

// Colours fade from one scheme to the other; in the middle of that nothing has its own contrast.
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { document, requestAnimationFrame } = globalThis as unknown as PageGlobals;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // The end of one can be the beginning of another, where a colour is inherited.
    for (let round = 0; round < 100 && document.getAnimations().length > 0; round += 1) {
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** What of a page's globals is used there; the server's types know no browser. */
interface PageGlobals {
  readonly document: { getAnimations(): readonly { readonly finished: Promise<unknown> }[] };
  requestAnimationFrame(callback: (value: unknown) => void): void;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every serious or critical accessibility fault of the page by WCAG 2.2 AA and good practice, each as one sentence; our own policy stays in force. */
export async function listAccessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate(async (): Promise<AxeResults> => {
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    // The rules of WCAG 2.2, which axe leaves out unless asked.
    return axe.run({ rules: { 'target-size': { enabled: true } } });
  });
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ impact, id, help, nodes }) =>
      nodes.map((node) => `${impact}: ${id} (${help}) at ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
    );
}

/**
 * Waits until the page has what it shows: no grey bars, and none of them again a moment later. The network is never idle,
 * since the balance is watched live.
 */
export async function waitUntilCalm(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  let calmLooks = 0;
  while (calmLooks < calmLooksWanted) {
    const isCalm = await page.evaluate("document.querySelector('.mantine-Skeleton-root, [aria-busy=true]') === null");
    calmLooks = isCalm ? calmLooks + 1 : 0;
    await page.waitForTimeout(150);
  }
}

const calmLooksWanted = 4;

/** How many pixels the page is wider than its window; more than 0 means that a phone scrolls sideways. */
export function measureOverflowPx(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

function viewportOf(width: Width): { width: number; height: number } {
  return { width, height: width === 390 ? 844 : 900 };
}
