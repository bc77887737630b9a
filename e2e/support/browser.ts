import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { stretched } from '../../server/test/wait-factor.js';
import { type ColorScheme, viewportOf, type Width } from './looks.js';
import { followRequests } from './page-calm.js';

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
  /** What went wrong so far on the page and its further tabs: uncaught errors, and errors of the console such as a refused script. */
  readonly faults: readonly string[];
  /** Opens another page for the same person, beside this one. */
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
  context.setDefaultTimeout(stretched(10_000));
  const faults: string[] = [];
  const openTab = async () => {
    const page = await context.newPage();
    followRequests(page);
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
    });
    return page;
  };
  return { page: await openTab(), context, faults, openTab };
}
