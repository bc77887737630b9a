import type { Page } from 'playwright-core';

/** What a finger hits without looking twice, by WCAG 2.2's enhanced size of targets. */
const targetPxMin = 44;
/** Half a pixel is a matter of rounding. */
const roundingPx = 0.5;

/**
 * Everything that can be pressed in the page and is smaller than a fingertip, each as one sentence. Links inside a sentence are exempt, as is
 * what only a keyboard reaches. The page has to be open on a screen that is touched.
 */
export async function listSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(listSmall, targetPxMin - roundingPx);
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface PageNode {
  readonly nodeType: number;
  readonly textContent: string | null;
}

interface PageElement extends PageNode {
  readonly tagName: string;
  readonly type?: string;
  /** The words of a box to tick, and what is drawn in its place. */
  readonly labels?: Iterable<PageElement>;
  readonly innerText?: string;
  readonly parentElement: (PageElement & { readonly childNodes: Iterable<PageNode> }) | null;
  checkVisibility(options: object): boolean;
  closest(selector: string): PageElement | null;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): Box;
}

interface PageGlobals {
  readonly document: { querySelectorAll(selector: string): Iterable<PageElement> };
  getComputedStyle(
    element: PageElement,
    part?: string,
  ): { readonly [name in 'content' | 'display' | 'height' | 'pointerEvents' | 'position' | 'width']: string };
}

/** Runs in the page. */
function listSmall(leastPx: number): string[] {
  const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
  const targets = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="option"]';

  const frames = '.mantine-PasswordInput-input, .mantine-TagsInput-input';

  function isInSentence(element: PageElement): boolean {
    const beside = [...(element.parentElement?.childNodes ?? [])].filter((node) => node !== element);
    const hasWords = beside.some(({ nodeType, textContent }) => nodeType === 3 && (textContent ?? '').trim() !== '');
    return getComputedStyle(element).display === 'inline' && hasWords;
  }

  /** What a press has to hit: the element itself, the frame of a field, the words of a box to tick. */
  function listParts(element: PageElement): PageElement[] {
    const isTicked = element.type === 'checkbox' || element.type === 'radio';
    const more = isTicked ? [...(element.labels ?? [])] : [element.closest(frames)];
    return [element, ...more].filter((part) => part !== null && isSeen(part)) as PageElement[];
  }

  /** What is hidden from the eye alone is one pixel large. */
  function isSeen(part: PageElement): boolean {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    const isShown = part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isShown && right - left > 1 && bottom - top > 1;
  }

  /** The room of all parts, and what is laid around the element so that a finger hits it. */
  function measure(element: PageElement, parts: readonly PageElement[]): { width: number; height: number } {
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
    const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
    const around = getComputedStyle(element, '::before');
    if (around.content === 'none' || around.position !== 'absolute') return { width, height };
    return {
      width: Math.max(width, Number.parseFloat(around.width)),
      height: Math.max(height, Number.parseFloat(around.height)),
    };
  }

  const small: string[] = [];
  for (const element of document.querySelectorAll(targets)) {
    const parts = listParts(element);
    if (parts.length === 0 || getComputedStyle(element).pointerEvents === 'none' || isInSentence(element)) continue;
    const { width, height } = measure(element, parts);
    if (width >= leastPx && height >= leastPx) continue;
    const name = element.getAttribute('aria-label') ?? element.innerText ?? '';
    small.push(`${element.tagName.toLowerCase()} “${name.trim()}” is ${Math.round(width)} × ${Math.round(height)}`);
  }
  return small;
}
