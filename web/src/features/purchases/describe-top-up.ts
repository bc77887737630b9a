import type { AutoTopUpQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';

/** What an automatic top-up buys when, as a sentence. */
export function describeTopUp({
  dollars,
  threshold,
  monthlyCapDollars,
  boughtThisMonthDollars,
}: AutoTopUpQuery['autoTopUp']): string {
  const amounts = [dollars, monthlyCapDollars, boughtThisMonthDollars].map(
    (amount) => `$${groupThousands(amount ?? 0)}`,
  );
  const [each, most, bought] = amounts;
  return `Whenever the balance falls below ${formatCredits(threshold ?? 0)} credits it buys for ${each}, at most ${most} in a month, and ${bought} this month so far.`;
}
