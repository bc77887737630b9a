import { onSessionEnd } from '../session/session-end';

const question = 'You will not see this again. Leave without saving it?';

let heldCount = 0;

/** Whether the page shows something that would be lost if another page came in its place. */
export function isPageHeld(): boolean {
  return heldCount > 0;
}

/**
 * Has the browser ask before this page is left: by Back, by another address, or by closing it. The end of the session asks nobody.
 * @returns what ends that.
 */
export function holdPage(): () => void {
  heldCount += 1;
  const stopListening = askBeforeLeaving();
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    heldCount -= 1;
    stopListening();
    stopEnd();
  };
  const stopEnd = onSessionEnd(release);
  return release;
}

function askBeforeLeaving(): () => void {
  const place = placeOf(window.history.state);
  let isReturning = false;
  // Back is over when it is told of: the router hears nothing of it, and the browser is led forward again.
  const stay = (event: PopStateEvent) => {
    const steps = isReturning ? 0 : (place ?? 1) - (placeOf(event.state) ?? (place ?? 1) - 1);
    if (!isReturning && window.confirm(question)) return;
    event.stopImmediatePropagation();
    isReturning = steps !== 0;
    if (isReturning) window.history.go(steps);
  };
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  // Before the router, which listens to the same.
  window.addEventListener('popstate', stay, { capture: true });
  window.addEventListener('beforeunload', ask);
  return () => {
    window.removeEventListener('popstate', stay, { capture: true });
    window.removeEventListener('beforeunload', ask);
  };
}

/** Where in the tab's history the router has put an entry; null: it is none of the router's. */
function placeOf(state: unknown): number | null {
  const idx = (state as { idx?: unknown } | null)?.idx;
  return typeof idx === 'number' ? idx : null;
}
