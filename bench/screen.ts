import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { followRequests } from '../e2e/support/page-calm.js';

/** As slow as Lighthouse makes a desktop processor, to stand for a telephone of the middle range. */
const processorSlowdown = 4;

export type Visitor = Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

/** What one page did until it was calm; times in milliseconds. */
export interface PageRecord {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** What was painted then. */
  readonly largestWhat: string;
  /** What main-thread tasks took beyond 50 ms each, after the first paint. */
  readonly blockedMs: number;
  readonly longestTaskMs: number;
  /** Processor time of the main thread in all, which other work of the machine hardly changes. */
  readonly processorMs: number;
  readonly bytes: number;
}

/** Runs in the page before its own scripts, and only listens. */
const recorder = `(() => {
  const record = { paints: [], tasks: [], events: [], frames: [] };
  globalThis.__record = record;
  const listen = (options, keep) =>
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) keep(entry); }).observe({ buffered: true, ...options });
  listen({ type: 'largest-contentful-paint' }, ({ startTime, element }) =>
    record.paints.push({ atMs: startTime, what: (element?.tagName ?? '').toLowerCase() + ' ' + (element?.textContent ?? '').slice(0, 40) }));
  listen({ type: 'longtask' }, ({ startTime, duration }) => record.tasks.push({ atMs: startTime, tookMs: duration }));
  listen({ type: 'event', durationThreshold: 16 }, ({ duration, interactionId, name }) => {
    if (interactionId > 0) record.events.push({ tookMs: duration, name });
  });
})()`;

const readPageRecord = `(() => {
  const { paints, tasks } = globalThis.__record;
  const firstPaintMs = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
  const last = paints.at(-1) ?? { atMs: 0, what: '' };
  const late = tasks.filter(({ atMs, tookMs }) => atMs + tookMs > firstPaintMs);
  return {
    firstPaintMs,
    largestPaintMs: last.atMs,
    largestWhat: last.what,
    blockedMs: late.reduce((sum, { tookMs }) => sum + Math.max(0, tookMs - 50), 0),
    longestTaskMs: Math.max(0, ...tasks.map(({ tookMs }) => tookMs)),
    bytes: performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0),
  };
})()`;

/** A page that records itself, and whose processor can be slowed down. */
export class Screen {
  private constructor(
    readonly page: Page,
    readonly session: CDPSession,
  ) {}

  /** A browser window of one visitor, with an empty cache. */
  static openVisit(browser: Browser, baseUrl: string, visitor: Visitor): Promise<BrowserContext> {
    return browser.newContext({
      baseURL: baseUrl,
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      colorScheme: 'light',
      ...(visitor === undefined ? {} : { storageState: visitor }),
    });
  }

  static async open(visit: BrowserContext): Promise<Screen> {
    visit.setDefaultTimeout(30_000);
    await visit.addInitScript({ content: recorder });
    const page = await visit.newPage();
    followRequests(page);
    const session = await visit.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new Screen(page, session);
  }

  async slowDown(): Promise<void> {
    await this.session.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown });
  }

  async readRecord(): Promise<PageRecord> {
    const record = await this.page.evaluate<Omit<PageRecord, 'processorMs'>>(readPageRecord);
    const { metrics } = await this.session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    return { ...record, processorMs: seconds * 1_000 };
  }

  /**
   * Does one thing as a user would, and waits until the page has been at rest for a moment.
   * @returns the longest time from an input to the next picture, and the longest task of what followed.
   */
  async timeInteraction(act: (page: Page) => Promise<void>): Promise<{ paintMs: number; taskMs: number }> {
    await this.page.evaluate('__record.events.length = __record.tasks.length = 0');
    await act(this.page);
    await this.page.waitForTimeout(restMs);
    return this.page.evaluate(
      `({ paintMs: Math.max(0, ...__record.events.map((event) => event.tookMs)), taskMs: Math.max(0, ...__record.tasks.map((task) => task.tookMs)) })`,
    );
  }
}

const restMs = 500;
