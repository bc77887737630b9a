import type { Locator, Page } from 'playwright-core';
import { stretched } from '../../server/test/wait-factor.js';
import { type FocusFacts, findFocusFaults, readFocus } from './focus-facts.js';
import { waitForAnimations, waitForFrames } from './page-calm.js';

const pressesMax = 120;
const settleTimeoutMs = stretched(5_000);
/** What a press sets off is drawn by then; counted in the page's own frames, since a busy machine draws slowly, too. */
const framesUntilSettled = 4;

/**
 * Somebody who has a keyboard and no mouse. Whatever has the focus on the way must be seen to have it: in the window, not
 * behind something else, and with a ring that stands out from its ground.
 */
export class KeyboardUser {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses keys, one after the other: `Tab`, `Enter`, `ArrowDown`, `Control+K`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Tabs forward to the target. @throws with all that had the focus on the way, if it is not reached. */
  tabTo(target: Locator): Promise<void> {
    return this.#goTo(target, 'Tab');
  }

  /** Tabs backward to the target. */
  tabBackTo(target: Locator): Promise<void> {
    return this.#goTo(target, 'Shift+Tab');
  }

  /** Tabs to a button or link and presses Enter on it. */
  async pressOn(target: Locator): Promise<void> {
    await this.tabTo(target);
    await this.press('Enter');
  }

  /** Tabs to a field and writes into it, in place of what it had. */
  async typeInto(target: Locator, text: string): Promise<void> {
    await this.tabTo(target);
    await this.press('Control+A');
    await this.page.keyboard.type(text);
  }

  /** Tabs to a field with a list and takes the option of that name by the arrows. */
  async choose(field: Locator, option: string): Promise<void> {
    await this.tabTo(field);
    const wanted = this.page.getByRole('option', { name: option, exact: true });
    // Lists that can be searched open by themselves.
    if (!(await wanted.isVisible())) await this.press('ArrowDown');
    await wanted.waitFor();
    const isMarked = async () => (await wanted.getAttribute('data-combobox-selected')) === 'true';
    // A list that has just opened goes to the option that is chosen now, a few frames later.
    await waitForFrames(this.page, framesUntilSettled);
    for (let presses = 0; presses < pressesMax; presses += 1) {
      if (await isMarked()) {
        await waitForFrames(this.page, framesUntilSettled);
        if (await isMarked()) return this.press('Enter');
      }
      await this.press('ArrowDown');
    }
    throw new Error(`The arrows do not reach the option "${option}".`);
  }

  /** Waits until the target has the focus, and sees it there. */
  async expectFocusOn(target: Locator): Promise<void> {
    await this.#waitFor(target, () => isFocused(target));
    await this.#look();
  }

  /** After what took the focused thing away: waits for the focus to be somewhere, and stays in sight there. */
  async expectFocusKept(): Promise<void> {
    await this.#waitFor('anything', async () => !(await readFocus(this.page)).isLost);
    // What takes the focus away again comes within a few frames, or with what was moving until then.
    await waitForAnimations(this.page);
    await waitForFrames(this.page, framesUntilSettled);
    await this.#look();
  }

  /** Of a page that was just opened: its main part has the focus, so that Tab and a screen reader go on there. */
  async expectPage(title: string): Promise<void> {
    await this.page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await this.expectFocusOn(this.page.getByRole('main'));
  }

  /** Tabs once around an open dialog: the focus stays in it, forward and backward, and comes round. */
  async expectTrappedIn(dialog: Locator): Promise<void> {
    await this.#waitFor(dialog, () => holdsFocus(dialog));
    for (const key of ['Tab', 'Shift+Tab']) {
      const stops = new Set<string>();
      for (let presses = 0; presses < pressesMax; presses += 1) {
        await this.press(key);
        const stop = await this.#look();
        if (!(await holdsFocus(dialog))) throw new Error(`${key} leaves the dialog for ${stop.words}.`);
        const place = describeStop(stop);
        if (stops.has(place)) break;
        stops.add(place);
      }
    }
  }

  /** Closes the open dialog by Escape; the focus goes back to what opened it. */
  async expectEscapeReturnsTo(opener: Locator): Promise<void> {
    await this.press('Escape');
    await this.page.getByRole('dialog').waitFor({ state: 'detached' });
    await this.expectFocusOn(opener);
  }

  /** Opens the palette by its keys and waits until it listens. */
  async openPalette(): Promise<void> {
    await this.press('Control+K');
    await this.expectFocusOn(this.page.getByRole('textbox', { name: 'Search or jump to' }));
  }

  /** Goes to a page by the palette, by another word for it. */
  async jumpTo(word: string, title: string): Promise<void> {
    await this.openPalette();
    await this.page.keyboard.type(word);
    await this.page.getByRole('dialog').getByRole('button', { name: title }).first().waitFor();
    await this.press('Enter');
    await this.page.getByRole('dialog').waitFor({ state: 'detached' });
    await this.expectPage(title);
  }

  /**
   * Tabs through the whole page from where the focus is until it comes round.
   * @returns every stop in order. @throws when the page does not end within `pressesMax` presses.
   */
  async walk(key: 'Tab' | 'Shift+Tab' = 'Tab', stopsMax = pressesMax): Promise<FocusFacts[]> {
    const stops: FocusFacts[] = [];
    for (let presses = 0; presses < stopsMax; presses += 1) {
      await this.press(key);
      const facts = await readFocus(this.page);
      const isRound = facts.isLost || (stops[0] !== undefined && describeStop(stops[0]) === describeStop(facts));
      if (isRound && stops.length > 0) return stops;
      if (!facts.isLost) stops.push(facts);
    }
    throw new Error(`${key} does not come round within ${stopsMax} presses: ${listWords(stops.slice(-12))}.`);
  }

  async #goTo(target: Locator, key: string): Promise<void> {
    // The boxes behind some choices are not drawn themselves.
    await target.waitFor({ state: 'attached' });
    const passed: FocusFacts[] = [];
    for (let presses = 0; presses < pressesMax; presses += 1) {
      if (await isFocused(target)) {
        await this.#look();
        return;
      }
      await this.press(key);
      passed.push(await this.#look());
    }
    throw new Error(`${target} is not reached by ${pressesMax} presses of ${key}, but ${listWords(passed)}.`);
  }

  /** @throws when the focus is not seen. Between the last and the first element of a page it is nowhere, as it must be. */
  async #look(): Promise<FocusFacts> {
    // What passes by itself, such as a toast in front of it or a page that still scrolls, hides nothing for long.
    const deadline = Date.now() + settleTimeoutMs;
    for (;;) {
      const facts = await readFocus(this.page);
      const faults = facts.isLost ? [] : findFocusFaults(facts);
      if (faults.length === 0) return facts;
      if (Date.now() > deadline) throw new Error(`On ${this.page.url()} ${faults.join('; ')}.`);
      await this.page.waitForTimeout(30);
    }
  }

  async #waitFor(wanted: Locator | string, isThere: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + settleTimeoutMs;
    while (!(await isThere())) {
      if (Date.now() > deadline) {
        const { words, isLost } = await readFocus(this.page);
        throw new Error(`On ${this.page.url()} the focus is on ${isLost ? 'nothing' : words} instead of ${wanted}.`);
      }
      await this.page.waitForTimeout(30);
    }
  }
}

/** What goes against reading order: a stop that stands above the one before it, or left of it in one line. */
export function findOrderFaults(stops: readonly FocusFacts[]): string[] {
  const inPage = stops.filter(({ isPinned }) => !isPinned);
  return inPage.slice(1).flatMap((next, index) => {
    const last = inPage[index] as FocusFacts;
    const movedPx = next.scrolledPx - last.scrolledPx;
    const [top, bottom] = [next.box.top + movedPx, next.box.bottom + movedPx];
    const isAbove = bottom <= last.box.top + 1 && next.box.left < last.box.right;
    const isInLine = Math.abs((top + bottom - last.box.top - last.box.bottom) / 2) < 6;
    const isLeft = isInLine && next.box.right <= last.box.left + 1;
    return isAbove || isLeft ? [`${last.words} comes before ${next.words}`] : [];
  });
}

function describeStop({ words, box, scrolledPx, isPinned }: FocusFacts): string {
  return `${words} at ${Math.round(box.left)}, ${Math.round(box.top + (isPinned ? 0 : scrolledPx))}`;
}

function listWords(stops: readonly FocusFacts[]): string {
  return stops.map(({ words }) => words).join(', ');
}

// In the page; the server's types know no elements.
async function isFocused(target: Locator): Promise<boolean> {
  if ((await target.count()) === 0) return false;
  return target.evaluate((element) => (element as unknown as { matches(css: string): boolean }).matches(':focus'));
}

function holdsFocus(region: Locator): Promise<boolean> {
  return region.evaluate((element) => {
    const { matches } = element as unknown as { matches(css: string): boolean };
    return matches.call(element, ':focus-within');
  });
}
