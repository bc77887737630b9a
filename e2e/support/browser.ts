import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { stretched } from '../../server/test/wait-factor.js';
import { findChromium } from './browser-program.js';
import { type ColorScheme, viewportOf, type Width } from './looks.js';
import { followRequests } from './page-calm.js';
import { findShared } from './shared-process.js';

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong so far on the page and its further tabs: uncaught errors, and errors of the console such as a refused script. */
  readonly faults: readonly string[];
  /** Opens another page for the same person, beside this one, with a copy of the cookies of now. */
  openTab(): Promise<Page>;
}

export interface PageOptions {
  readonly baseUrl: string;
  readonly width?: Width;
  readonly colorScheme?: ColorScheme;
}

/** Opens an empty page with cookies of its own. Every wait on it is bounded. */
export type OpenPage = (options: PageOptions) => Promise<OpenedPage>;

/**
 * Defines a suite that drives a real Chromium: the one that CHROMIUM_PATH names, or Debian's, started once for all suites of
 * this process. Each suite has pages of its own, which are closed after its last test. Where the machine has no Chromium the
 * suite is shown as skipped; with CI=true it fails instead.
 */
export function describeInBrowser(title: string, defineTests: (openPage: OpenPage) => void): void {
  const hasChromium = findChromium() !== null;
  if (!hasChromium && process.env.CI === 'true') throw new Error('CI is set, and there is no Chromium.');
  const describeWhereFound = hasChromium ? describe : describe.skip;
  describeWhereFound(title, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      const { wsEndpoint } = await findShared('browser');
      browser = await chromium.connect(wsEndpoint, { timeout: stretched(connectTimeoutMs) });
    });
    // Closes what was opened through this connection; the browser itself stays for the next suite.
    afterAll(() => browser?.close());
    let opened: OpenedPage[] = [];
    afterEach(async () => {
      if ((globalThis as { hasTestFailed?: boolean }).hasTestFailed) await printPages(opened);
      opened = [];
    });
    defineTests(async (options) => {
      if (browser === undefined) throw new Error('Pages can be opened inside tests only.');
      const page = await openPage(browser, options);
      opened.push(page);
      return page;
    });
  });
}

const connectTimeoutMs = 10_000;
const printedCharactersMax = 1_500;

/** What a test that failed had before it: nobody can look at the browser of CI afterwards. */
async function printPages(opened: readonly OpenedPage[]): Promise<void> {
  for (const { context, faults } of opened) {
    for (const page of context.pages()) {
      const text = await page.innerText('body').catch(String);
      console.error(`The page at the end: ${page.url()}\n${text.slice(0, printedCharactersMax)}\n${faults.join('\n')}`);
    }
  }
}

async function openPage(browser: Browser, options: PageOptions): Promise<OpenedPage> {
  const faults: string[] = [];
  const first = await openContext(browser, options);
  const openIn = async (context: BrowserContext) => {
    const page = await context.newPage();
    followRequests(page);
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    return page;
  };
  return {
    page: await openIn(first),
    context: first,
    faults,
    openTab: async () => {
      // Of the windows of one context, Chromium draws those that another covers once a second, and each wait for a frame waits for that.
      const storageState = await first.storageState();
      return openIn(await openContext(browser, options, { storageState }));
    },
  };
}

async function openContext(browser: Browser, options: PageOptions, more: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    baseURL: options.baseUrl,
    viewport: viewportOf(options.width ?? 1280),
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...more,
  });
  context.setDefaultTimeout(stretched(10_000));
  return context;
}
