import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { OpenedPage } from './browser.js';
import { chooseLooks, everyLook, forEachLook } from './looks.js';
import { listAccessibilityFaults, measureOverflowPx } from './page-faults.js';
import { openView, type PageView } from './page-views.js';
import { listPhoneFaults } from './phone-faults.js';

/** SCREENSHOTS=<folder> keeps a picture of each page in each look. */
const pictureFolder = process.env.SCREENSHOTS;
/** One more than processors, since each tab waits for its server now and then. */
const tabCount = Math.min(availableParallelism(), 4) + 1;

/** What was seen of one view in one look, and is wrong there. */
export interface LookFault {
  readonly view: string;
  readonly look: string;
  readonly overflowPx: number;
  readonly faults: readonly string[];
}

/** Looks at the pages of one person in several tabs at once. */
export class PageGallery {
  readonly #tabs: Page[];

  /** @param opened Signed in or not; its page is the first of the tabs. */
  constructor(private readonly opened: OpenedPage) {
    this.#tabs = [opened.page];
  }

  /**
   * Looks at each view in every look of this run; those who want pictures get every look there is. Views that change the
   * account come last, one by one, in the first tab, which stays where the last of them left it.
   * @param amount How much data the account has, for the names of views.
   * @returns what is wrong, and how many views were looked at in how many looks.
   */
  async lookAtAll(amount: string, views: readonly PageView[]): Promise<{ faults: LookFault[]; lookCount: number }> {
    const waiting = views.filter(({ changesAccount }) => !changesAccount);
    const faults: LookFault[] = [];
    let lookCount = 0;
    const lookAt = async (page: Page, view: PageView) => {
      const seen = await this.#lookAt(page, `${amount}-${view.title}`, view);
      lookCount += seen.length;
      faults.push(...seen.filter((look) => look.overflowPx > 0 || look.faults.length > 0));
    };
    while (this.#tabs.length < Math.min(tabCount, waiting.length)) this.#tabs.push(await this.opened.openTab());
    const work = async (page: Page) => {
      for (let view = waiting.shift(); view !== undefined; view = waiting.shift()) await lookAt(page, view);
    };
    await Promise.all(this.#tabs.map(work));
    for (const view of views.filter(({ changesAccount }) => changesAccount)) await lookAt(this.opened.page, view);
    return { faults, lookCount };
  }

  async #lookAt(page: Page, title: string, view: PageView): Promise<LookFault[]> {
    const seen: LookFault[] = [];
    await openView(page, view);
    await forEachLook(
      page,
      async (look) => {
        if (pictureFolder) {
          mkdirSync(pictureFolder, { recursive: true });
          await page.screenshot({ path: join(pictureFolder, `${title}-${look}.png`), fullPage: true });
        }
        const [overflowPx, faults] = [await measureOverflowPx(page), await listAccessibilityFaults(page)];
        seen.push({ view: title, look, overflowPx, faults });
      },
      pictureFolder ? everyLook : chooseLooks(title),
    );
    seen.push({ view: title, look: 'on a phone', overflowPx: 0, faults: await listPhoneFaults(page) });
    return seen;
  }
}
