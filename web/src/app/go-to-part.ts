import type { MouseEvent } from 'react';

/**
 * Goes to the heading of a part of the page, from where the keyboard and a screen reader go on. A part that has no heading yet is left to the
 * browser, which goes to its place.
 */
export function goToPart(event: MouseEvent, id: string): void {
  const heading = document.querySelector<HTMLElement>(`#${id} h2`);
  if (heading === null) return;
  event.preventDefault();
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView();
}
