import type { Page } from 'playwright-core';
import { describeInBrowser, type OpenedPage } from '../support/browser.js';
import { countInRows } from '../support/count-in-rows.js';
import { askOnPage, buyCredits, callProxy, signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { measureOverflowPx } from '../support/page-faults.js';
import { useSharedStack } from '../support/shared-stack.js';

const pages = [
  ...['/', '/usage', '/explore', '/requests', '/playground', '/models', '/models/demo-small'],
  ...['/keys', '/credits', '/budgets', '/webhooks', '/proof', '/quickstart', '/settings'],
];
/** Without a place at which a browser would break it. */
const longName = 'ProductionOfTheDepartmentOfLongNamesThatNobodyThoughtOfBreaking'.padEnd(95, 'W');
/** What a reader may set, by WCAG 2.2, 1.4.12. */
const widerText = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }`;
const fingerPx = 44;

describeInBrowser('the dashboard at its edges', (openPage) => {
  const stack = useSharedStack();
  let opened: OpenedPage;
  beforeAll(async () => {
    opened = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(opened.page, 'Erna Hoover');
    await askOnPage(opened.page, 'mutation ($name: String!) { createApiKey(input: { name: $name }) { secret } }', {
      name: longName,
    });
    await askOnPage(opened.page, 'mutation ($name: String!) { updateProfile(input: { name: $name }) { id } }', {
      name: longName,
    });
  }, 60_000);

  async function show(page: Page, path: string) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilCalm(page);
  }

  it('fits 320 pixels with names that have no break, and with the spacing that readers may set', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 320, height: 700 });
    const wide: string[] = [];
    for (const path of pages) {
      await show(page, path);
      if ((await measureOverflowPx(page)) > 0) wide.push(path);
      await widenText(page);
      if ((await measureOverflowPx(page)) > 0) wide.push(`${path}, text widened`);
    }
    expect(wide).toEqual([]);
    const more = await page.getByText('More', { exact: true }).boundingBox();
    expect((more?.x ?? 0) + (more?.width ?? 400)).toBeLessThanOrEqual(320);
  }, 120_000);

  it('has the compared models beside each other on a phone, none of them cut', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    await show(page, '/models?compare=demo-small,demo-large');
    const comparison = page.getByRole('region', { name: 'Table: comparison' });
    expect(await comparison.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await comparison.getByRole('columnheader').allInnerTexts()).toEqual(['demo-small', 'demo-large']);
    expect(await comparison.getByRole('rowheader').count()).toBe(7);
  });

  it('has a balance of a billion in one line, its proof within its card, and the arrow of the menu beside a long name', async () => {
    const { page } = opened;
    const billion = 999_999_999.999;
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const text = (await answer.text()).replaceAll(/"(available|left|difference)":-?[\d.]+/g, `"$1":${billion}`);
      await route.fulfill({ response: answer, body: text });
    });
    /** How far the first of these reaches beyond what is around it. */
    const findBeyondPx = (inner: string, outer: string) =>
      page.evaluate<number>(`(() => {
        const one = document.querySelector('${inner}');
        const [inside, around] = [one, one.closest('${outer}')].map((box) => box.getBoundingClientRect().right);
        return Math.max(0, inside - around);
      })()`);
    await page.setViewportSize({ width: 320, height: 700 });
    await show(page, '/credits');
    await page.getByText('999,999,999.999', { exact: true }).waitFor();
    // Words of a line that is broken in two have two boxes.
    const boxes = "document.querySelector('dl > div > dd > span').getClientRects().length";
    expect([await page.evaluate(boxes), await findBeyondPx('dl > div > dd > span', 'dl')]).toEqual([1, 0]);
    await show(page, '/proof');
    expect(await findBeyondPx('table[aria-label=Proof]', 'section')).toBe(0);
    await page.setViewportSize({ width: 1280, height: 700 });
    const arrow = await page
      .getByRole('button', { name: /^Account of/ })
      .locator('svg')
      .boundingBox();
    expect(arrow?.width).toBe(16);
    await page.unroute('**/graphql');
  }, 60_000);

  /** As a reader's own sheet of styles does. */
  async function widenText(page: Page) {
    const add = `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(widerText)});
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]; })()`;
    await page.evaluate(add);
    await waitUntilCalm(page);
  }

  it('breaks no number in two at 320 pixels, in an account with millions of credits', async () => {
    const rich = await openPage({ baseUrl: stack.baseUrl });
    const { page } = rich;
    await signUpOnPage(page, 'Radia Perlman');
    for (let n = 0; n < 3; n += 1) await buyCredits(page, 1_000);
    const { createApiKey } = await askOnPage<{ createApiKey: { secret: string } }>(
      page,
      'mutation { createApiKey(input: { name: "Laptop" }) { secret } }',
    );
    await callProxy(stack.baseUrl, createApiKey.secret, { model: 'demo-small' });
    await page.setViewportSize({ width: 320, height: 700 });
    const broken: string[] = [];
    for (const path of pages) {
      await show(page, path);
      broken.push(...(await listBrokenNumbers(page)).map((number) => `${path}: ${number}`));
    }
    expect(broken).toEqual([]);
  }, 120_000);

  it('shows what a name ends with at its own end, also of one that is read from the right, alone and in a sentence', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Rajaa Cherkaoui');
    await askOnPage(page, 'mutation ($name: String!) { createApiKey(input: { name: $name }) { secret } }', {
      name: 'مفتاح!',
    });
    await show(page, '/keys');
    await page.getByRole('button', { name: /^Change .*مفتاح!/ }).click();
    await page.getByRole('dialog').waitFor();
    await waitUntilCalm(page);
    /** Of each heading with the name, whether its last sign stands at the left of its letters. */
    const facts = await page.evaluate(`[...document.querySelectorAll('h2, h3')].flatMap((heading) => {
      const text = [...heading.childNodes].find(({ data }) => data?.includes('مفتاح!'));
      if (text === undefined) return [];
      const placeOf = (letter) => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(letter));
        range.setEnd(text, text.data.indexOf(letter) + 1);
        return range.getBoundingClientRect().left;
      };
      return [{ level: heading.tagName, isRight: placeOf('!') < placeOf('ح') && placeOf('ح') < placeOf('م') }];
    })`);
    expect(facts).toEqual(
      expect.arrayContaining([
        { level: 'H3', isRight: true },
        { level: 'H2', isRight: true },
      ]),
    );
  }, 60_000);

  it('marks what was typed in a name of two scripts without a change to the order of its words or to its blanks', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Hind Al Owais');
    await askOnPage(page, 'mutation ($name: String!) { createApiKey(input: { name: $name }) { secret } }', {
      name: 'مفتاح API الإنتاج',
    });
    await show(page, '/models');
    await page.keyboard.press('Control+K');
    await page.getByRole('textbox', { name: 'Search or jump to' }).fill('API');
    await page.locator('mark', { hasText: 'API' }).first().waitFor();
    await waitUntilCalm(page);
    /** The words of the name from left to right, each with the pixels that are free before the next. */
    const words = await page.evaluate<{ word: string; gapPx: number }[]>(`(() => {
      const label = [...document.querySelectorAll('.mantine-Spotlight-actionLabel')].find((one) => one.textContent.includes('مفتاح'));
      const boxes = [...label.children].map(({ firstChild }) => {
        const range = document.createRange();
        const word = firstChild.data.trim();
        range.setStart(firstChild, firstChild.data.indexOf(word));
        range.setEnd(firstChild, firstChild.data.indexOf(word) + word.length);
        return { word, box: range.getBoundingClientRect() };
      }).sort((one, other) => one.box.left - other.box.left);
      return boxes.map(({ word, box }, at) => ({ word, gapPx: (boxes[at + 1]?.box.left ?? box.right + 9) - box.right }));
    })()`);
    expect(words.map(({ word }) => word)).toEqual(['الإنتاج', 'API', 'مفتاح']);
    expect(words.filter(({ gapPx }) => gapPx < 2)).toEqual([]);
  }, 60_000);

  it('has none of the filters of Explore in a row by itself, at any width', async () => {
    const { page } = opened;
    const rows: Record<number, number[]> = {};
    for (const width of [390, 600, 768, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await show(page, '/explore');
      rows[width] = await countInRows(page.getByRole('group', { name: 'Only' }).locator('.mantine-Input-wrapper'));
    }
    expect(rows).toEqual({ 390: [2, 2, 2], 600: [3, 3], 768: [3, 3], 1024: [3, 3], 1440: [6], 1920: [6] });
  }, 60_000);

  it('uses the width of 1920 pixels', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1920, height: 1000 });
    await show(page, '/usage');
    const { x, width } = (await page.getByRole('main').boundingBox()) ?? { x: 0, width: 0 };
    expect(width).toBeGreaterThan(1_400);
    expect(1920 - x - width).toBeLessThan(160);
  }, 60_000);

  it('prints a page without what surrounds it', async () => {
    const { page } = opened;
    await show(page, '/credits');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.getByRole('banner').count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    // As the button of the statement has it.
    await page.evaluate("document.documentElement.dataset.prints = 'part'");
    expect(await page.getByRole('heading', { name: 'Statement' }).isVisible()).toBe(true);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0);
    await page.evaluate('delete document.documentElement.dataset.prints');
    await page.emulateMedia({ media: null });
  }, 60_000);

  it('tells the current page also in forced colours', async () => {
    const { page } = opened;
    await page.emulateMedia({ forcedColors: 'active' });
    await show(page, '/usage');
    const outline = "getComputedStyle(document.querySelector('nav a[aria-current=page]')).outlineStyle";
    expect(await page.evaluate(outline)).toBe('solid');
    // And what is chosen of a few, and whether a switch is on.
    const chosen =
      "getComputedStyle(document.querySelector('.mantine-SegmentedControl-label[data-active]')).outlineStyle";
    expect(await page.evaluate(chosen)).toBe('solid');
    await show(page, '/requests');
    const track = "getComputedStyle(document.querySelector('.mantine-Switch-track')).outlineStyle";
    expect(await page.evaluate(track)).toBe('none');
    await page.getByRole('switch', { name: 'Live' }).click({ force: true });
    expect(await page.evaluate(track)).toBe('solid');
    await page.emulateMedia({ forcedColors: null });
  }, 60_000);

  it('has targets of 44 pixels for fingers', async () => {
    const browser = opened.context.browser();
    const storageState = await opened.context.storageState();
    const context = await browser?.newContext({
      ...{ baseURL: stack.baseUrl, storageState, hasTouch: true, isMobile: true, reducedMotion: 'reduce' },
      viewport: { width: 390, height: 844 },
    });
    if (context === undefined) throw new Error('The browser has gone.');
    const page = await context.newPage();
    const small: string[] = [];
    for (const path of pages) {
      await show(page, path);
      small.push(...(await listSmallTargets(page)).map((target) => `${path}: ${target}`));
    }
    await context.close();
    expect(small).toEqual([]);
  }, 90_000);

  it('has all days of a calendar within its frame, for fingers too', async () => {
    const browser = opened.context.browser();
    const storageState = await opened.context.storageState();
    for (const width of [320, 390]) {
      const context = await browser?.newContext({
        ...{ baseURL: stack.baseUrl, storageState, hasTouch: true, isMobile: true, reducedMotion: 'reduce' },
        viewport: { width, height: 844 },
      });
      if (context === undefined) throw new Error('The browser has gone.');
      const page = await context.newPage();
      await show(page, '/usage');
      await page.getByRole('button', { name: 'Custom' }).click();
      const [month, form] = await Promise.all(
        [page.getByRole('grid'), page.locator('form', { hasText: 'Show these days' })].map((one) => one.boundingBox()),
      );
      const rightOf = (box: typeof month) => (box?.x ?? 0) + (box?.width ?? Number.NaN);
      expect({ width, beyondPx: Math.max(0, rightOf(month) - rightOf(form)) }).toEqual({ width, beyondPx: 0 });
      await context.close();
    }
  }, 60_000);

  it('shows a budget of millions whole in the form of a key, and a choice without a limit as wide as its line, at every width', async () => {
    const { page } = opened;
    for (const width of [1280, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await show(page, '/keys');
      await page.getByRole('button', { name: 'Change' }).first().click();
      const dialog = page.getByRole('dialog');
      const free = dialog.getByRole('combobox', { name: 'Token limit' });
      const line = free.locator('xpath=ancestor::div[contains(@class, "lineChoice")]');
      const [freeBox, lineBox] = [await free.boundingBox(), await line.boundingBox()];
      expect({ width, widthPx: freeBox?.width }).toEqual({ width, widthPx: lineBox?.width });
      await dialog.getByRole('combobox', { name: 'Budget' }).click();
      await page.getByRole('option', { name: 'At most' }).click();
      const field = dialog.getByRole('textbox', { name: 'Credits' });
      await field.fill('9999999.999');
      await field.blur();
      expect(await field.inputValue()).toBe('9,999,999.999');
      const cutPx = await field.evaluate<number, { scrollWidth: number; clientWidth: number }>(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
      );
      expect({ width, cutPx }).toEqual({ width, cutPx: 0 });
      await page.keyboard.press('Escape');
    }
  }, 60_000);

  it('tells times in the language and zone of the reader, and the days of billing in UTC beside theirs', async () => {
    const storageState = await opened.context.storageState();
    const place = { locale: 'de-DE', timezoneId: 'Asia/Tokyo' };
    const context = await opened.context.browser()?.newContext({ baseURL: stack.baseUrl, storageState, ...place });
    if (context === undefined) throw new Error('The browser has gone.');
    const page = await context.newPage();
    await show(page, '/settings');
    const time = page.getByRole('table', { name: 'Sessions' }).locator('time').first();
    const at = new Date(String(await time.getAttribute('datetime')));
    const local = new Intl.DateTimeFormat(place.locale, {
      ...{ dateStyle: 'medium', timeStyle: 'medium', timeZone: place.timezoneId },
    }).format(at);
    const utc = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    expect(await time.getAttribute('title')).toBe(`${local} (${utc})`);
    await show(page, '/usage');
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByText('Days begin at 00:00 UTC, which is 09:00 in your time zone (Asia/Tokyo)').waitFor();
    await context.close();
  }, 60_000);

  it('answers 404 where there is no page, and has what browsers and search engines ask for', async () => {
    const html = { headers: { accept: 'text/html' } };
    for (const path of ['/no-such-page', '/models/no-such-model'])
      expect((await fetch(stack.baseUrl + path, html)).status).toBe(404);
    for (const path of pages) expect((await fetch(stack.baseUrl + path, html)).status).toBe(200);
    expect(await (await fetch(`${stack.baseUrl}/robots.txt`)).text()).toContain(
      `Sitemap: ${stack.baseUrl}/sitemap.xml`,
    );
    const sitemap = await (await fetch(`${stack.baseUrl}/sitemap.xml`)).text();
    for (const [, address = ''] of sitemap.matchAll(/<loc>([^<]+)/g))
      expect((await fetch(address, html)).status).toBe(200);
    expect(sitemap).toContain(`<loc>${stack.baseUrl}/models/demo-small</loc>`);
    const icon = await fetch(`${stack.baseUrl}/favicon.ico`);
    expect(icon.headers.get('content-type')).toMatch(/icon/);
    expect(Buffer.from(await icon.arrayBuffer()).subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
  });
});

/** What one presses and is lower than a finger; links within a sentence are exempt, as in WCAG 2.5.5. */
function listSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate((leastPx) => {
    interface Box {
      readonly width: number;
      readonly height: number;
    }
    interface Target {
      readonly textContent: string | null;
      readonly tagName: string;
      getAttribute(name: string): string | null;
      getBoundingClientRect(): Box;
      closest(selector: string): Target | null;
      checkVisibility(): boolean;
    }
    const { document } = globalThis as unknown as {
      document: { querySelectorAll(selector: string): Iterable<Target> };
    };
    const presses = 'button, summary, [role=tab], [role=combobox], nav a, label.mantine-SegmentedControl-label';
    return (
      [...document.querySelectorAll(presses)]
        // The arrows of a number are for the mouse: a finger types.
        .filter((target) => target.getAttribute('tabindex') !== '-1')
        .filter((target) => target.checkVisibility() && target.getBoundingClientRect().width > 1)
        .filter((target) => target.getBoundingClientRect().height < leastPx - 0.5)
        .map((target) =>
          `${target.tagName} ${target.getAttribute('aria-label') ?? target.textContent ?? ''}`.slice(0, 60),
        )
    );
  }, fingerPx);
}

/** Numbers that stand in two lines: each half is read as a number of its own. */
function listBrokenNumbers(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (!/^\\s*[+−$]?\\d[\\d,]*(\\.\\d+)?\\s*$/.test(node.data)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(node.data);
    }
    return broken;
  })()`);
}
