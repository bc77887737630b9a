import { usePresentHour } from '../../lib/use-now';

const dayMs = 86_400_000;
const pollMs = 60_000;

/**
 * How to ask for the last days in UTC, today included: they are the same until the next day begins, and are asked for again each
 * minute while the page is seen.
 */
export function useLastDays(days: number) {
  const today = Math.floor(usePresentHour() / dayMs) * dayMs;
  return {
    variables: {
      from: new Date(today - (days - 1) * dayMs).toISOString(),
      to: new Date(today + dayMs).toISOString(),
    },
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  };
}
