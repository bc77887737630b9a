import type { Locator, Page } from 'playwright-core';

/** Presses the one button of this very name, on a page or within a part of it. */
export function press(within: Page | Locator, name: string): Promise<void> {
  return within.getByRole('button', { name, exact: true }).click();
}
