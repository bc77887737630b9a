import { useState } from 'react';

const dayMs = 86_400_000;
const pollMs = 60_000;

/**
 * How to ask for the last days in UTC, today included: they stay the same while the page is open, and are asked for again each minute
 * while it is seen.
 */
export function useLastDays(days: number) {
  const [today] = useState(() => Math.floor(Date.now() / dayMs) * dayMs);
  return {
    variables: {
      from: new Date(today - (days - 1) * dayMs).toISOString(),
      to: new Date(today + dayMs).toISOString(),
    },
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  };
}
