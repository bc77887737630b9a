/** Smallest and largest free amount of one purchase. */
export const dollarsMin = 5;
export const dollarsMax = 1_000;

/** Words for what is wrong with a free amount as typed, or null. Whole dollars only. */
export function dollarsFault(typed: string): string | null {
  const text = typed.trim();
  if (!/^\d{1,6}$/.test(text)) return `Enter whole dollars from ${dollarsMin} to 1,000, such as 25.`;
  const dollars = Number(text);
  if (dollars < dollarsMin) return `The smallest purchase is $${dollarsMin}.`;
  return dollars > dollarsMax ? 'The largest purchase is $1,000. Buy more than once for more.' : null;
}
