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

const hourMs = 3_600_000;
const renewMs = 10_000;

/**
 * The beginning of the present hour in UTC, in milliseconds since 1970. It is another one within ten seconds of the next hour, so
 * that what a page asks for up to now does not end with the hour in which the page was opened.
 *
 * @param isHeld Whether it stays what it was, for as long as the page is read as it stands.
 */
export function usePresentHour(isHeld = false): number {
  const [hour, setHour] = useState(presentHour);
  useEffect(() => {
    if (isHeld) return;
    const renew = () => setHour(presentHour());
    renew();
    const timer = setInterval(renew, renewMs);
    return () => clearInterval(timer);
  }, [isHeld]);
  return hour;
}

function presentHour(): number {
  return Math.floor(Date.now() / hourMs) * hourMs;
}
