import { useQuery } from '@apollo/client/react';
import { graphql } from '../../gql';
import type { SpendingQuery } from '../../gql/graphql';
import { toMillicredits } from '../../lib/format/format-credits';
import type { SpendChange } from '../../lib/reports/spending';

const SpendingDocument = graphql(`
  query Spending {
    spending {
      from
      daily
      models {
        model
        daily
      }
      comparedUntil
      changes {
        spent
        before
      }
      calls
      failedCalls
      chargedFailures
    }
  }
`);

const pollMs = 60_000;

export interface Spending extends Pick<SpendingQuery['spending'], 'comparedUntil' | 'calls' | 'failedCalls'> {
  /** Failed calls that were charged for what had been delivered; null: not known. */
  readonly chargedFailures: number | null;
  /** When the first day of `daily` begins, in epoch milliseconds. */
  readonly fromMs: number;
  /** Millicredits of each of the last 60 days in UTC, the oldest first. */
  readonly daily: readonly number[];
  /** Of the last day, 7 and 30 days, up to `comparedUntil`. */
  readonly changes: readonly SpendChange[];
  /** Millicredits of each of the last 30 days by model; null: all others together. */
  readonly models: readonly { readonly model: string | null; readonly daily: readonly number[] }[];
}

/** What was spent lately; asked for again each minute while the page is seen. Undefined until it is there. */
export function useSpending() {
  const { data, error, refetch } = useQuery(SpendingDocument, {
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  return { spending: data && toSpending(data.spending), error, refetch };
}

function toSpending({ from, daily, changes, models, chargedFailures, ...rest }: SpendingQuery['spending']): Spending {
  const toAmount = (credits: number) => Number(toMillicredits(credits));
  const toAmounts = (credits: readonly number[]) => credits.map(toAmount);
  return {
    ...rest,
    changes: changes.map(({ spent, before }) => ({ spent: toAmount(spent), before: toAmount(before) })),
    chargedFailures: chargedFailures ?? null,
    fromMs: Date.parse(from),
    daily: toAmounts(daily),
    models: models.map(({ model, daily: ofModel }) => ({ model: model ?? null, daily: toAmounts(ofModel) })),
  };
}
