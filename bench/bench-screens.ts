import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { findChromium, launchBrowser } from '../e2e/support/browser-program.js';
import { waitUntilCalm } from '../e2e/support/page-calm.js';
import { startStack } from '../e2e/support/start-stack.js';
import { type Spread, showSpread, showTable, spreadOf } from './figures.js';
import { type PageRecord, Screen, type Visitor } from './screen.js';
import { type InteractionTime, timeInteractions } from './screen-interactions.js';
import { timeScrolling } from './screen-scrolling.js';

const callCount = 100_000;
const rounds = Number(process.env.SCREEN_ROUNDS ?? 5);
const password = 'for-the-measurement';
const publicPages = ['/', '/sign-in'];
const pagesInside = ['/', '/usage', '/requests', '/keys', '/credits', '/models', '/playground'];
/** Providers that are on and that nobody calls, so that the lists are as long as in life. */
const settings = Object.fromEntries(
  ['OPENAI', 'DEEPSEEK', 'MISTRAL', 'GROQ'].map((name) => [`${name}_API_KEY`, 'none']),
);

/**
 * The dashboard in a browser whose processor is four times slower, for an account with 100,000 calls: when the largest part
 * of each page is painted, how long an input waits for its picture, how the list of calls scrolls.
 */
export async function benchScreens(): Promise<object> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium. Name one in CHROMIUM_PATH.');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-screens-'));
  const file = join(folder, 'demo.db');
  const loadBefore = loadavg()[0];
  try {
    await seed(file, join(folder, 'spool'));
    const stack = await startStack({ kind: 'sqlite', file }, settings);
    const browser = await launchBrowser(executablePath);
    try {
      const visitor = await signIn(browser, stack.baseUrl);
      const paints = await measurePaints(browser, stack.baseUrl, visitor);
      const interactions = await measureInteractions(browser, stack.baseUrl, visitor);
      const scrolling = await measureScrolling(browser, stack.baseUrl, visitor);
      const load = { before: loadBefore, after: loadavg()[0] };
      console.log(
        `Load average of the last minute, on ${cpus().length} cores: ${load.before} before, ${load.after} after.`,
      );
      return {
        cores: cpus().length,
        load,
        rounds,
        callCount,
        browser: browser.version(),
        paints,
        interactions,
        scrolling,
      };
    } finally {
      await browser.close();
      await stack.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seed(file: string, spool: string): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../server/cli/seed.js'), String(callCount)], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `sqlite:${file}`,
      SPOOL_DIR: spool,
      SEED_PASSWORD: password,
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error('The demo account was not made.');
}

async function signIn(browser: Browser, baseUrl: string): Promise<Visitor> {
  const visit = await Screen.openVisit(browser, baseUrl, undefined);
  const page = await visit.newPage();
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'E-mail' }).fill('demo@tollgate.example');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('region', { name: 'Balance' }).waitFor();
  const visitor = await visit.storageState();
  await visit.close();
  return visitor;
}

/** The rounds go through all pages in turns, so that a busy moment of the machine does not hit one page alone. */
async function measurePaints(browser: Browser, baseUrl: string, visitor: Visitor) {
  const pages = [
    ...publicPages.map((path) => ({ name: path === '/' ? 'landing' : path, path, visitor: undefined })),
    ...pagesInside.map((path) => ({ name: path === '/' ? 'overview' : path, path, visitor })),
  ];
  const records = new Map(pages.map(({ name }) => [name, { cold: [] as PageRecord[], warm: [] as PageRecord[] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path, visitor: who } of pages) {
      const visit = await Screen.openVisit(browser, baseUrl, who);
      for (const cache of ['cold', 'warm'] as const) records.get(name)?.[cache].push(await loadPage(visit, path));
      await visit.close();
    }
  }
  const figures = [...records].map(([page, { cold, warm }]) => ({
    page,
    largestWhat: [...new Set(cold.map(({ largestWhat }) => largestWhat))],
    ...{ cold: spreadsOf(cold), warm: spreadsOf(warm) },
  }));
  const head = [
    'ms',
    'first paint, cold',
    'largest, cold',
    'largest, warm',
    'blocked, cold',
    'processor, cold',
    'kB, cold',
  ];
  const rows = figures.map(({ page, cold, warm }) => [
    page,
    ...[cold.firstPaintMs, cold.largestPaintMs, warm.largestPaintMs, cold.blockedMs, cold.processorMs].map(showMs),
    (cold.bytes.median / 1_000).toFixed(0),
  ]);
  console.log(`${showTable(head, rows)}\n`);
  return figures;
}

async function loadPage(visit: Awaited<ReturnType<typeof Screen.openVisit>>, path: string): Promise<PageRecord> {
  const screen = await Screen.open(visit);
  await screen.slowDown();
  await screen.page.goto(path);
  await screen.page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilCalm(screen.page);
  const record = await screen.readRecord();
  await screen.page.close();
  return record;
}

const recorded = ['firstPaintMs', 'largestPaintMs', 'blockedMs', 'longestTaskMs', 'processorMs', 'bytes'] as const;

function spreadsOf(records: readonly PageRecord[]): Record<(typeof recorded)[number], Spread> {
  const spreads = recorded.map((name) => [name, spreadOf(records.map((record) => record[name]))]);
  return Object.fromEntries(spreads) as Record<(typeof recorded)[number], Spread>;
}

async function measureInteractions(browser: Browser, baseUrl: string, visitor: Visitor) {
  const times: InteractionTime[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(...(await timeInteractions(browser, baseUrl, visitor)));
  const figures = [...new Set(times.map(({ name }) => name))].map((name) => {
    const same = times.filter((time) => time.name === name);
    return {
      name,
      paintMs: spreadOf(same.map(({ paintMs }) => paintMs)),
      taskMs: spreadOf(same.map(({ taskMs }) => taskMs)),
    };
  });
  const rows = figures.map(({ name, paintMs, taskMs }) => [name, showMs(paintMs), showMs(taskMs)]);
  console.log(`${showTable(['interaction', 'ms to the next picture', 'longest task, ms'], rows)}\n`);
  return figures;
}

async function measureScrolling(browser: Browser, baseUrl: string, visitor: Visitor) {
  const stretches = await timeScrolling(browser, baseUrl, visitor);
  const head = [
    'scrolled to row',
    'rows in the page',
    'frames',
    'dropped',
    'frames over 50 ms',
    'longest, ms',
    'heap MB',
    'elements',
  ];
  const rows = stretches.map((one) => [
    ...[one.toRow, one.rowsInPage, one.frames].map(String),
    `${(one.droppedShare * 100).toFixed(1)} %`,
    ...[String(one.framesOver50Ms), one.longestFrameMs.toFixed(0), one.heapMb.toFixed(1), String(one.elementCount)],
  ]);
  console.log(`${showTable(head, rows)}\n`);
  return stretches;
}

function showMs({ median, min, max }: Spread): string {
  return showSpread({ median: Math.round(median), min: Math.round(min), max: Math.round(max) });
}
