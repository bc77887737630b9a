import { useEffect, useRef, useState } from 'react';

/** A page that has not opened by then will not: the tap was stopped, or the browser has saved the answer as a file. */
const openingMs = 5_000;

/**
 * Whether the browser is on its way to a page elsewhere, so that nothing is pressed twice meanwhile. It is not any more when the
 * page is shown again by “Back”, just as it was left, nor when the other page has not opened within five seconds. Whoever has gone
 * to another page of the dashboard meanwhile stays there.
 */
export function useLeaving() {
  const [isLeaving, setIsLeaving] = useState(false);
  const [goneAtMs, setGoneAtMs] = useState<number | null>(null);

  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  useEffect(() => {
    const release = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      setIsLeaving(false);
      setGoneAtMs(null);
    };
    window.addEventListener('pageshow', release);
    return () => window.removeEventListener('pageshow', release);
  }, []);

  useEffect(() => {
    if (goneAtMs === null) return;
    const timer = setTimeout(() => setIsLeaving(false), openingMs);
    return () => clearTimeout(timer);
  }, [goneAtMs]);

  function goTo(url: string) {
    if (!isShown.current) return;
    setGoneAtMs(Date.now());
    window.location.assign(url);
  }

  return { isLeaving, setIsLeaving, goTo };
}
