import type { Page } from 'playwright-core';

/** A box of the page, in pixels of its window. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What surrounds a box: its outline and its border with the focus, and the border that it has without. */
interface Edge {
  readonly outlineStyle: string;
  readonly outlineWidthPx: number;
  readonly outlineColor: string;
  readonly borderColor: string;
  readonly borderWidthPx: number;
  readonly restingBorderColor: string;
  /** What it is painted on, as a CSS colour. */
  readonly ground: string;
}

/** What has the focus, as a person in front of the screen finds it. */
export interface FocusFacts {
  /** Its role or tag, and its name: `button "Save"`. */
  readonly words: string;
  /** Nothing has the focus: the next press of a key goes nowhere. */
  readonly isLost: boolean;
  /** The main part of a page or a heading, which takes the focus for reading on but cannot be operated. */
  readonly isForReading: boolean;
  readonly isInDialog: boolean;
  readonly box: Box;
  /** It stands in a bar that does not scroll with the page. */
  readonly isPinned: boolean;
  /** How far the page is scrolled down. */
  readonly scrolledPx: number;
  /** Of nine points of it that are inside the window, how many are not hidden behind something else. */
  readonly pointsInSight: number;
  /** Its own edge first, then those of what stands for it, such as the label of a hidden box. */
  readonly edges: readonly Edge[];
  /** Elements of the page that would be reached before all others. */
  readonly positiveTabIndexes: number;
}

/** Reads what has the focus now. */
export function readFocus(page: Page): Promise<FocusFacts> {
  return page.evaluate(
    `(() => { ${readEdge} ${findBox} ${countPointsInSight} ${isPinned} ${listFrames} return (${readFacts})(); })()`,
  );
}

/** Each thing that keeps a sighted keyboard user from seeing where the focus is, in words; none when all is well. */
export function findFocusFaults(facts: FocusFacts): string[] {
  if (facts.isLost) return ['the focus is on nothing'];
  const faults: string[] = [];
  if (facts.positiveTabIndexes > 0) faults.push(`${facts.positiveTabIndexes} elements have a positive tabindex`);
  if (facts.isForReading) return faults;
  if (facts.pointsInSight === 0) faults.push(`${facts.words} has the focus out of sight`);
  if (!facts.edges.some(isRing)) faults.push(`${facts.words} shows no ring: ${JSON.stringify(facts.edges[0])}`);
  return faults;
}

const contrastMin = 3;

function isRing(edge: Edge): boolean {
  const hasOutline = edge.outlineStyle !== 'none' && edge.outlineWidthPx >= 2;
  if (hasOutline && contrast(edge.outlineColor, edge.ground) >= contrastMin) return true;
  return (
    edge.borderWidthPx >= 1 &&
    contrast(edge.borderColor, edge.ground) >= contrastMin &&
    contrast(edge.borderColor, edge.restingBorderColor) >= contrastMin
  );
}

/** How far two CSS colours of the form `rgb(…)` are apart, from 1 to 21; one that is seen through counts as none. */
export function contrast(one: string, other: string): number {
  const [first, second] = [luminance(one), luminance(other)];
  if (first === null || second === null) return 1;
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

// https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
function luminance(color: string): number | null {
  const [red, green, blue, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
  if (red === undefined || green === undefined || blue === undefined || alpha < 0.5) return null;
  const [r, g, b] = [red, green, blue].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The rest runs in the page. It is text, since the server's types know no elements.

const readEdge = `
function readEdge(element) {
  // An empty twin has the same style without the focus.
  const twin = element.cloneNode(false);
  // Of two radio boxes of one name only one can be chosen.
  for (const name of ['id', 'name']) twin.removeAttribute(name);
  element.after(twin);
  const restingBorderColor = getComputedStyle(twin).borderTopColor;
  twin.remove();
  const style = getComputedStyle(element);
  let ground = element.parentElement;
  while (ground && /, 0(\\.\\d+)?\\)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  return {
    outlineStyle: style.outlineStyle,
    outlineWidthPx: parseFloat(style.outlineWidth),
    outlineColor: style.outlineColor,
    borderColor: style.borderTopColor,
    borderWidthPx: parseFloat(style.borderTopWidth),
    restingBorderColor,
    ground: ground ? getComputedStyle(ground).backgroundColor : 'rgb(255, 255, 255)',
  };
}`;

const findBox = `
function standsFor(element) {
  // Choices are drawn by a neighbour of the true box: its label, or the track of a switch.
  if (!(element instanceof HTMLInputElement) || !/radio|checkbox/.test(element.type)) return [];
  return [...(element.labels ?? []), element.nextElementSibling, element.previousElementSibling]
    .filter((one) => one !== null);
}
function findBox(element) {
  const { width, height } = element.getBoundingClientRect();
  const isDrawn = width > 3 && height > 3 && getComputedStyle(element).opacity !== '0';
  return isDrawn ? element : (standsFor(element)[0] ?? element);
}`;

// A field may stand in a frame with other things, such as the choices that were made, and the frame shows the focus.
const listFrames = `
function listFrames(element) {
  const frames = [];
  let one = element.parentElement;
  while (one !== null && one !== document.body && frames.length < (element.matches('input') ? 4 : 1)) {
    frames.push(one);
    one = one.parentElement;
  }
  return frames;
}`;

const countPointsInSight = `
function countPointsInSight(drawn) {
  const box = drawn.getBoundingClientRect();
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  if (right <= left || bottom <= top) return 0;
  const shares = [0.1, 0.5, 0.9];
  return shares.flatMap((x) => shares.map((y) => [left + (right - left) * x, top + (bottom - top) * y]))
    .filter(([x, y]) => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (drawn.contains(hit) || hit.contains(drawn) && hit !== document.documentElement);
    }).length;
}`;

const isPinned = `
function isPinned(element) {
  for (let one = element; one !== null; one = one.parentElement) {
    if (/fixed|sticky/.test(getComputedStyle(one).position)) return true;
  }
  return false;
}`;

const readFacts = `() => {
  // A colour that fades has its own value only at the end.
  for (const animation of document.getAnimations()) {
    if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish();
  }
  const element = document.activeElement ?? document.body;
  const drawn = findBox(element);
  const { left, top, right, bottom } = drawn.getBoundingClientRect();
  const role = element.getAttribute('role') ?? element.tagName.toLowerCase();
  const isLost = element === document.body || element === document.documentElement;
  const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '';
  return {
    words: role + ' "' + name.trim().replace(/\\s+/g, ' ').slice(0, 60) + '"',
    isLost,
    isForReading: element.matches('main, h1, h2, h3, [role=dialog]'),
    isInDialog: element.closest('[role=dialog]') !== null,
    box: { left, top, right, bottom },
    isPinned: isPinned(element),
    scrolledPx: scrollY,
    pointsInSight: countPointsInSight(drawn),
    edges: isLost ? [] : [element, ...standsFor(element), ...listFrames(element)].map(readEdge),
    positiveTabIndexes: [...document.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).length,
  };
}`;
