import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Whoever is this near to the end reads along. */
const nearPx = 120;

/**
 * Keeps the end of a list in sight while it grows, unless the reader has scrolled up; at its end again, they read along again.
 *
 * @param growth Changes whenever something was added.
 * @param list Its parent's end is what is kept in sight, with what stands below the list there.
 */
export function useNewestInSight(growth: string, list: RefObject<HTMLElement | null>): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const end = list.current?.parentElement?.getBoundingClientRect().bottom ?? 0;
      isAtEnd.current = end - document.documentElement.clientHeight < nearPx;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the growth that moves the end
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.parentElement?.scrollIntoView({ block: 'end', behavior: 'instant' });
  }, [growth]);
}
