import { useEffect, useLayoutEffect, useRef } from 'react';

/** Whoever is this near to the end of the page reads along. */
const nearPx = 120;

/**
 * Keeps the end of the page in sight while it grows, unless the reader has scrolled up; at its end again, they read along again.
 *
 * @param growth Changes whenever something was added.
 */
export function useNewestInSight(growth: string): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const { scrollHeight, clientHeight } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - window.scrollY < nearPx;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the growth that moves the end
  useLayoutEffect(() => {
    if (isAtEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
  }, [growth]);
}
