import { useEffect, useRef } from 'react';

/** Does something each time that the page is seen or chosen again: meanwhile another tab may have changed what it shows. */
export function useWhenSeenAgain(look: () => Promise<unknown>): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    const lookAgain = () => {
      // What cannot be asked stays as it is.
      if (document.visibilityState === 'visible') latest.current().catch(() => undefined);
    };
    window.addEventListener('focus', lookAgain);
    document.addEventListener('visibilitychange', lookAgain);
    return () => {
      window.removeEventListener('focus', lookAgain);
      document.removeEventListener('visibilitychange', lookAgain);
    };
  }, []);
}
