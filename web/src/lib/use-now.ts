import { useEffect, useState } from 'react';

/** The present instant, renewed every `periodMs` milliseconds, so that "3 min ago" does not go stale. */
export function useNow(periodMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), periodMs);
    return () => clearInterval(timer);
  }, [periodMs]);
  return now;
}
