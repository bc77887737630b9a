import type { Browser } from 'playwright-core';
import { waitUntilCalm } from '../e2e/support/page-calm.js';
import { Screen, type Visitor } from './screen.js';

/** One stretch of a long way down the list of calls. */
export interface Stretch {
  readonly toRow: number;
  readonly rowsInPage: number;
  readonly frames: number;
  /** Of the pictures that a display of 60 Hz had room for. */
  readonly droppedShare: number;
  readonly framesOver50Ms: number;
  readonly longestFrameMs: number;
  readonly longTasks: number;
  readonly heapMb: number;
  readonly elementCount: number;
}

const stretches = 5;
const stretchPx = 20_000;
const pxPerSecond = 4_000;

const beginFrames = `(() => {
  const frames = [];
  __record.frames = frames;
  __record.tasks.length = 0;
  let last = performance.now();
  const tick = (now) => {
    if (__record.frames !== frames) return;
    frames.push(now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})()`;

const endFrames = `(() => {
  const { frames, tasks } = __record;
  __record.frames = [];
  const rows = [...document.querySelectorAll('[role=table][aria-label=Requests] [aria-rowindex]')];
  const lost = frames.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / (1000 / 60)) - 1), 0);
  return {
    toRow: Math.max(...rows.map((row) => Number(row.getAttribute('aria-rowindex')))) - 1,
    rowsInPage: rows.length,
    frames: frames.length,
    droppedShare: lost / (lost + frames.length),
    framesOver50Ms: frames.filter((ms) => ms > 50).length,
    longestFrameMs: Math.max(...frames),
    longTasks: tasks.length,
    elementCount: document.querySelectorAll('*').length,
  };
})()`;

/** Scrolls the list of calls by the wheel, page after page of it arriving on the way. */
export async function timeScrolling(browser: Browser, baseUrl: string, visitor: Visitor): Promise<Stretch[]> {
  const visit = await Screen.openVisit(browser, baseUrl, visitor);
  try {
    const screen = await Screen.open(visit);
    const { page, session } = screen;
    await page.goto('/requests');
    await waitUntilCalm(page);
    await screen.slowDown();
    const done: Stretch[] = [];
    for (let number = 0; number < stretches; number += 1) {
      await page.evaluate(beginFrames);
      await session.send('Input.synthesizeScrollGesture', {
        ...{ x: 640, y: 500, xDistance: 0, yDistance: -stretchPx },
        ...{ speed: pxPerSecond, gestureSourceType: 'mouse', preventFling: true },
      });
      const figures = (await page.evaluate(endFrames)) as Omit<Stretch, 'heapMb'>;
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      done.push({ ...figures, heapMb: usedSize / 1_048_576 });
    }
    return done;
  } finally {
    await visit.close();
  }
}
