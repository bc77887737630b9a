import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { graphql } from '../../gql';
import { wholeBalance } from '../../lib/format/whole-balance';
import { toReportTime } from '../../lib/reports/time-range';
import { useNow } from '../../lib/use-now';
import classes from './budgets.module.css';
import { KeyBudgets } from './key-budgets';
import { NoticeList } from './notice-list';
import { RunwayCard } from './runway-card';

const BudgetsDocument = graphql(`
  query Budgets($input: UsageInput!) {
    viewer {
      id
      balance {
        available
        held
      }
    }
    spending {
      daily
    }
    apiKeys {
      id
      name
      createdAt
      revokedAt
      spendLimit
      spendPeriod
      spentInPeriod
      spendResetsAt
    }
    usage(input: $input) {
      groups {
        key
        sums {
          ...UsageSumsFields
        }
      }
    }
  }
`);

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

/** How long the balance and the budgets last, and what the account was told of them. */
export function BudgetsPage() {
  const nowMs = useNow(60_000).getTime();
  const toMs = Math.ceil((nowMs + 1) / hourMs) * hourMs;
  const {
    data: fresh,
    previousData,
    error,
    refetch,
  } = useQuery(BudgetsDocument, {
    variables: { input: { ...toReportTime({ fromMs: toMs - weekMs, toMs }), bucket: 'DAY', groupBy: ['API_KEY'] } },
  });
  const data = fresh ?? previousData;
  return (
    <Stack gap="lg">
      {error && <ErrorPanel title="The budgets could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className={classes.place} radius="lg" />}
      {data?.viewer && (
        <>
          <RunwayCard credits={wholeBalance(data.viewer.balance)} daily={data.spending.daily} nowMs={nowMs} />
          <KeyBudgets apiKeys={data.apiKeys} groups={data.usage.groups} nowMs={nowMs} />
        </>
      )}
      <NoticeList />
    </Stack>
  );
}
