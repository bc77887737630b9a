import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** The library gives the focus back within this time after it has closed a dialog. */
const waitMs = 60;
const dialog = '[role=dialog]';
const field = 'input, button:enabled';
/** Most forms are saved, and their buttons free again, within this time. */
const disabledWaitMs = 1_000;

/**
 * Sees to it that the focus is always somewhere, so that the keyboard and a screen reader go on from where they were. A newly
 * opened page gets it on its main part. When the element that has it goes away, such as the row that was just deleted, it goes
 * to what opened that, to its neighbour in what has opened over the page, such as a list of saved filters, or to the heading of the card
 * or dialog around it. What was busy has it again, in a dialog as well. It is never taken from where a user has put it.
 */
export function FocusKeeper() {
  const { pathname } = useLocation();
  const navigationType = useNavigationType();
  const lastPathname = useRef(pathname);
  const pathToOpen = useRef<string | null>(null);
  useEffect(() => keepFocus(pathToOpen), []);
  useEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    pathToOpen.current = pathname;
    openPage(pathToOpen);
    // "Back" keeps the place that the browser remembers.
    if (navigationType !== 'POP') window.scrollTo(0, 0);
  }, [pathname, navigationType]);
  return null;
}

/** The page that waits for the focus, until its code is there; null when none does. */
interface PathToOpen {
  current: string | null;
}

function openPage(pathToOpen: PathToOpen): void {
  const main = document.querySelector<HTMLElement>('main:not([aria-busy], [aria-busy] *)');
  if (pathToOpen.current === null || main === null) return;
  pathToOpen.current = null;
  focusForReading(main);
}

function keepFocus(pathToOpen: PathToOpen): () => void {
  // From the last focused element of the page itself up to the top.
  let trail: readonly Element[] = [];
  // The same of what stands beside the page, a dialog or a list that has opened over it, while the focus is there.
  let over: readonly Element[] = [];
  let isUsers = true;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function note({ target }: Event) {
    isUsers = false;
    if (!(target instanceof Element)) return;
    if (target.closest('#root')) [trail, over] = [listAncestors(target), []];
    else if (target.closest(dialog)) over = listAncestors(target);
  }
  // A press beside everything takes the focus away on purpose.
  const leave = () => {
    isUsers = true;
  };
  function check(isLate: boolean) {
    timer = undefined;
    // A browser takes the focus from what was disabled when it draws next, which may be later, and tells nobody.
    if (document.activeElement?.matches(':disabled')) {
      timer = setTimeout(check, waitMs, isLate);
      return;
    }
    // Whoever already went on is left alone.
    if (document.activeElement === document.body) openPage(pathToOpen);
    else pathToOpen.current = null;
    if (isUsers || document.activeElement !== document.body) return;
    const last = over[0] ?? trail[0];
    const isWaiting = last?.isConnected && last.matches(':disabled');
    // One that says that it is busy is free again some time, such as on a slow server.
    if (isWaiting && (!isLate || last.matches('[aria-busy=true]'))) timer = setTimeout(check, disabledWaitMs, true);
    else restore(trail, over);
  }
  const observer = new MutationObserver(() => {
    timer ??= setTimeout(check, waitMs, false);
  });
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', leave, true);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('pointerdown', leave, true);
  };
}

function restore(trail: readonly Element[], over: readonly Element[]): void {
  if (takesFocus(over[0])) return;
  const inDialog = document.querySelector<HTMLElement>(`${dialog}[aria-modal=true] h2`);
  if (inDialog !== null) {
    focusForReading(inDialog);
    return;
  }
  const beside = over.find((one) => one.isConnected && one.closest(dialog) && one.querySelector(field));
  if (takesFocus(beside?.querySelector(field)) || takesFocus(trail[0])) return;
  const cards = trail.filter((element) => element.isConnected && element.matches('section, main'));
  const headings = cards.map((card) => card.querySelector<HTMLElement>('h1, h2, h3'));
  const place = headings.find((heading) => heading !== null) ?? document.querySelector('main');
  if (place) focusForReading(place);
}

/** Whether it, or something else meanwhile, has the focus then. */
function takesFocus(element: Element | null | undefined): boolean {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  return document.activeElement !== document.body;
}

function focusForReading(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus({ preventScroll: element.matches('main') });
}

function listAncestors(element: Element): readonly Element[] {
  return element.parentElement ? [element, ...listAncestors(element.parentElement)] : [element];
}
