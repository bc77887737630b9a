import type { Page } from 'playwright-core';
import { waitForFrames } from './page-calm.js';

/** What of a sheet has so few letters shows nothing of its page. */
const lettersMin = 20;
const contrastMin = 4.5;

/** Runs `look` while the page is as it is printed; the browser itself tells pages of that only where it really prints. */
export async function onPaper<Result>(page: Page, look: () => Promise<Result>): Promise<Result> {
  await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
  await page.emulateMedia({ media: 'print' });
  await waitForFrames(page, 2);
  try {
    return await look();
  } finally {
    await page.emulateMedia({ media: null });
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
  }
}

/**
 * What is wrong with the sheet that the page is printed as: it is empty, or a text on it has too little contrast to what is behind it, or
 * to the paper, since browsers print no backgrounds unless they are asked to.
 */
export function listPaperFaults(page: Page): Promise<string[]> {
  return onPaper(page, async () => {
    const letters = (await page.innerText('body')).trim().length;
    const pale = await page.evaluate(listPaleTexts, contrastMin);
    return [...(letters < lettersMin ? [`${letters} letters`] : []), ...pale];
  });
}

/** Runs in the page. A colour is drawn to be read, since styles may name it in any way. */
function listPaleTexts(least: number): string[] {
  const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
  const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  type Color = readonly [red: number, green: number, blue: number];
  const white: Color = [255, 255, 255];
  const painted = new Map<string, Color>();
  const paint = (color: string, ground: Color): Color => {
    const mix = `${color} on ${ground.join()}`;
    const known = painted.get(mix) ?? brushed(color, ground);
    painted.set(mix, known);
    return known;
  };
  const brushed = (color: string, ground: Color): Color => {
    brush.canvas.width = 1;
    brush.fillStyle = `rgb(${ground.join(',')})`;
    brush.fillRect(0, 0, 1, 1);
    brush.fillStyle = color;
    brush.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  };
  const luminance = (color: Color) => {
    const linear = color.map((value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const contrast = (one: Color, other: Color) => {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const groundOf = (element: PageElement | null): Color =>
    element === null ? white : paint(getComputedStyle(element).backgroundColor, groundOf(element.parentElement));
  const textOf = (element: PageElement) =>
    [...element.childNodes].map((node) => (node.nodeType === 3 ? node.textContent.trim() : '')).join('');
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const text = textOf(element);
    const { width = 0, height = 0 } = element.getClientRects()[0] ?? {};
    const style = getComputedStyle(element);
    // What is there for screen readers alone is a pixel large; what cannot be chosen is pale on purpose.
    if (text === '' || width * height < 2 || style.visibility !== 'visible') return [];
    if (element.closest('[data-disabled], :disabled') !== null) return [];
    const color = element.namespaceURI.endsWith('svg') ? style.fill : style.color;
    const ground = groundOf(element);
    const found = Math.min(contrast(paint(color, ground), ground), contrast(paint(color, white), white));
    return found < least ? [`${found.toFixed(2)} of "${text.slice(0, 30)}" (${element.className})`] : [];
  });
}

/** What of a page's globals is used there; the server's types know no browser. */
interface PageGlobals {
  readonly document: {
    createElement(name: 'canvas'): { getContext(kind: '2d', options: object): Brush };
    querySelectorAll(selector: string): Iterable<PageElement>;
  };
  getComputedStyle(element: PageElement): {
    readonly backgroundColor: string;
    readonly color: string;
    readonly fill: string;
    readonly visibility: string;
  };
}

interface Brush {
  readonly canvas: { width: number };
  fillStyle: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Iterable<number> };
}

interface PageElement {
  readonly parentElement: PageElement | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>;
  readonly namespaceURI: string;
  readonly className: string;
  closest(selector: string): PageElement | null;
  getClientRects(): readonly { readonly width: number; readonly height: number }[];
}
