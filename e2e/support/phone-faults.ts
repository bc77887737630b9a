import type { CDPSession, Page } from 'playwright-core';
import { viewportOf } from './looks.js';
import { waitForAnimations } from './page-calm.js';
import { measureOverflowPx } from './page-faults.js';
import { listSmallTargets } from './page-targets.js';

const usualLetterPx = 16;
/** Twice the usual, which WCAG asks for. */
const largeLetterPx = 32;

const sessions = new WeakMap<Page, CDPSession>();

/** One for each page, never closed: the end of any of a page's sessions takes its virtual authenticator away, and the passkeys in it. */
async function openSession(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  return session;
}

/**
 * What is wrong with the page as it stands for a finger, and for a reader who has set letters of twice the size, on a phone;
 * each as one sentence. Leaves the page as it was found.
 */
export async function listPhoneFaults(page: Page): Promise<string[]> {
  const viewport = page.viewportSize();
  const session = await openSession(page);
  /** As the reader's setting of the browser does, to which widths in `em` answer as well. */
  const setLetters = (px: number) => session.send('Page.setFontSizes', { fontSizes: { standard: px, fixed: px } });
  await page.setViewportSize(viewportOf(390));
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await waitForAnimations(page);
  const faults = await listSmallTargets(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await setLetters(largeLetterPx);
  await waitForAnimations(page);
  const overflowPx = await measureOverflowPx(page);
  if (overflowPx > 0) faults.push(`${overflowPx} pixels too wide with letters of ${largeLetterPx} pixels`);
  await setLetters(usualLetterPx);
  if (viewport !== null) await page.setViewportSize(viewport);
  return faults;
}
