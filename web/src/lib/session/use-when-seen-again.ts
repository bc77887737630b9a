import { useEffect, useRef } from 'react';

/** Whoever was away for less has changed nothing in another tab. */
const awayMsMin = 500;

/** Does something each time that the page is seen or chosen again after a while: another tab may have changed what it shows. */
export function useWhenSeenAgain(look: () => Promise<unknown>): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    let awaySinceMs: number | null = null;
    const leave = () => {
      awaySinceMs ??= performance.now();
    };
    const comeBack = () => {
      const wasAway = awaySinceMs !== null && performance.now() - awaySinceMs >= awayMsMin;
      awaySinceMs = null;
      // What cannot be asked stays as it is.
      if (wasAway) latest.current().catch(() => undefined);
    };
    const followSight = () => (document.visibilityState === 'visible' ? comeBack() : leave());
    window.addEventListener('blur', leave);
    window.addEventListener('focus', comeBack);
    document.addEventListener('visibilitychange', followSight);
    return () => {
      window.removeEventListener('blur', leave);
      window.removeEventListener('focus', comeBack);
      document.removeEventListener('visibilitychange', followSight);
    };
  }, []);
}
