import { useQuery } from '@apollo/client/react';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { SectionCard } from '../../../components/section-card';
import { RecordLines } from '../../../components/tables/record-lines';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorUsageBy, OperatorUsageFieldsFragment } from '../../../gql/graphql';
import { formatCreditsAligned, groupThousands } from '../../../lib/format/format-credits';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { AccountLink } from '../account-link';
import classes from '../operator.module.css';

export const OperatorUsageFields = graphql(`
  fragment OperatorUsageFields on OperatorUsageShare {
    name
    calls
    promptTokens
    completionTokens
    charged
    cost
    callsWithoutCost
    margin
  }
`);

const OperatorMoneyUsageDocument = graphql(`
  query OperatorMoneyUsage($from: DateTime!, $to: DateTime!, $by: OperatorUsageBy!) {
    operator {
      money(from: $from, to: $to) {
        usage(by: $by, first: 50) {
          otherGroups
          summedUntil
          total {
            ...OperatorUsageFields
          }
          groups {
            ...OperatorUsageFields
          }
        }
      }
    }
  }
`);

const divisions = [
  { value: 'MODEL', label: 'Model' },
  { value: 'PROVIDER', label: 'Provider' },
  { value: 'ACCOUNT', label: 'Account' },
  { value: 'DAY', label: 'Day' },
];

/** What all accounts used in a range, divided by one thing. */
export function MoneyUsage({ range }: { range: { from: string; to: string } }) {
  const [by, setBy] = useState<OperatorUsageBy>('MODEL');
  const { data, previousData, error, refetch } = useQuery(OperatorMoneyUsageDocument, { variables: { ...range, by } });
  const isOld = data === undefined;
  const usage = (data ?? (error ? undefined : previousData))?.operator.money.usage;
  return (
    <SectionCard
      title="Usage"
      description="By the hour in which calls started. Cost is what providers charge you, where it is set on the page “Prices”. 1,000 credits are 1 dollar."
    >
      <Stack gap="sm">
        <NativeSelect
          label="Divided by"
          data={divisions}
          value={by}
          maw={220}
          onChange={(event) => setBy(event.currentTarget.value as OperatorUsageBy)}
        />
        {error && !data && <ErrorPanel title="The usage could not be loaded" error={error} onRetry={refetch} />}
        {!usage && !error && <RecordSkeleton rows={4} />}
        {usage && (
          <Stack gap="sm" aria-busy={isOld} className={classes.answer}>
            <RecordTable
              label="Usage"
              narrow={RecordLines}
              rows={[...usage.groups, usage.total]}
              keyOf={({ name }) => name}
              columns={[
                { header: 'Name', card: 'title', cell: ({ name }) => nameOf(name, !isOld && by === 'ACCOUNT') },
                {
                  header: 'Credits charged',
                  align: 'right',
                  card: 'figure',
                  cell: ({ charged }) => formatCreditsAligned(charged),
                },
                { header: 'Cost', align: 'right', cell: costOf },
                {
                  header: 'Margin',
                  align: 'right',
                  cell: ({ margin }) => (margin == null ? '–' : formatCreditsAligned(margin)),
                },
                { header: 'Margin of charged', align: 'right', cell: marginShareOf },
                { header: 'Calls', align: 'right', cell: ({ calls }) => groupThousands(calls) },
                { header: 'Tokens in', align: 'right', cell: ({ promptTokens }) => groupThousands(promptTokens) },
                {
                  header: 'Tokens out',
                  align: 'right',
                  cell: ({ completionTokens }) => groupThousands(completionTokens),
                },
              ]}
            />
            {usage.total.callsWithoutCost > 0 && (
              <Text size="sm">
                The cost of {groupThousands(usage.total.callsWithoutCost)} calls is not set, so their margin is unknown.
                Set it under <code>costs</code> on the page “Prices”.
              </Text>
            )}
            {usage.summedUntil != null && (
              <Text size="sm">As of {formatAbsoluteTime(usage.summedUntil)}: the last hours are not summed yet.</Text>
            )}
            {usage.otherGroups > 0 && (
              <Text size="sm">{groupThousands(usage.otherGroups)} smaller ones are in the total.</Text>
            )}
          </Stack>
        )}
      </Stack>
    </SectionCard>
  );
}

function costOf({ cost, callsWithoutCost }: OperatorUsageFieldsFragment) {
  if (callsWithoutCost === 0) return formatCreditsAligned(cost);
  return Number(cost) > 0 ? `over ${formatCreditsAligned(cost)}` : 'not set';
}

// A column of its own: behind the margin it would move the points of that column.
function marginShareOf({ charged, margin }: OperatorUsageFieldsFragment) {
  if (margin == null || Number(charged) === 0) return '–';
  return `${Math.round((Number(margin) / Number(charged)) * 100)} %`;
}

function nameOf(name: string, isAccount: boolean) {
  if (name === 'total') return <strong>All</strong>;
  if (!isAccount) return name;
  return <AccountLink id={name} />;
}
