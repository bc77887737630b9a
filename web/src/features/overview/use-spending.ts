import { useQuery } from '@apollo/client/react';
import { graphql } from '../../gql';
import type { UsageReport } from '../../lib/usage-series';
import { measure } from '../../lib/usage-series';
import { useLastDays } from './last-days';

const SpendingDocument = graphql(`
  query Spending($from: DateTime!, $to: DateTime!) {
    usage(input: { from: $from, to: $to, bucket: DAY, groupBy: MODEL }) {
      total {
        ...UsageSumsFields
      }
      buckets {
        start
        sums {
          ...UsageSumsFields
        }
      }
      groups {
        key
        sums {
          ...UsageSumsFields
        }
        buckets {
          ...UsageSumsFields
        }
      }
    }
  }
`);

const daysRead = 60;

export interface Spending {
  readonly report: UsageReport;
  /** Millicredits of each of the last 60 days in UTC, the oldest first. */
  readonly daily: readonly number[];
}

/** The spending of the last 60 days by model; renews itself. Undefined until it is there. */
export function useSpending(): { spending: Spending | undefined; error: unknown } {
  const { data, error } = useQuery(SpendingDocument, useLastDays(daysRead));
  const spending = data && {
    report: data.usage,
    daily: data.usage.buckets.map(({ sums }) => measure(sums, 'credits')),
  };
  return { spending, error };
}

/** The last days of a report: its buckets, and its groups as far as they were used in these days. */
export function lastDays(report: UsageReport, days: number): UsageReport {
  const groups = report.groups.map((group) => {
    const buckets = group.buckets.slice(-days);
    return { ...group, buckets, sums: buckets.reduce(addSums) };
  });
  const buckets = report.buckets.slice(-days);
  return { buckets, groups, total: buckets.map(({ sums }) => sums).reduce(addSums) };
}

type Sums = UsageReport['total'];

// Credits are added as whole millicredits, since sums of decimal fractions drift.
function addSums(one: Sums, other: Sums): Sums {
  return {
    calls: one.calls + other.calls,
    failedCalls: one.failedCalls + other.failedCalls,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    charged: (measure(one, 'credits') + measure(other, 'credits')) / 1_000,
  };
}
