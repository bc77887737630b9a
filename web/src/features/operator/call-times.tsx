import { useQuery } from '@apollo/client/react';
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { RecordLines } from '../../components/tables/record-lines';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorCallTimesBy, OperatorCallTimesLast } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatDuration } from '../../lib/format/format-time';
import { formatShare } from '../../lib/reports/usage-series';
import classes from './operator.module.css';

const OperatorCallTimesDocument = graphql(`
  query OperatorCallTimes($by: OperatorCallTimesBy!, $last: OperatorCallTimesLast!) {
    operator {
      callTimes(by: $by, last: $last) {
        isSample
        otherGroups
        groups {
          name
          calls
          failedCalls
          attempts
          failedAttempts
          p50Ms
          p95Ms
          p99Ms
          firstByteP50Ms
          firstByteP95Ms
        }
      }
    }
  }
`);

const divisions = [
  { value: 'PROVIDER', label: 'Provider' },
  { value: 'MODEL', label: 'Model' },
];
const ranges = [
  { value: 'HOUR', label: 'Last hour' },
  { value: 'DAY', label: 'Last 24 hours' },
];

/** How providers and models answered lately, over all instances; read again each minute. */
export function CallTimes() {
  const [by, setBy] = useState<OperatorCallTimesBy>('PROVIDER');
  const [last, setLast] = useState<OperatorCallTimesLast>('HOUR');
  const variables = { by, last };
  const { data, previousData, error, refetch } = useQuery(OperatorCallTimesDocument, {
    variables,
    pollInterval: 60_000,
  });
  const times = (data ?? (error ? undefined : previousData))?.operator.callTimes;
  return (
    <SectionCard
      title="Latency and errors"
      description="Over all instances, from receipts. A call counts for the provider that answered it, an attempt for the provider that was tried."
    >
      <Stack gap="sm">
        <Group>
          <NativeSelect
            label="By"
            data={divisions}
            value={by}
            onChange={(event) => setBy(event.currentTarget.value as OperatorCallTimesBy)}
          />
          <NativeSelect
            label="Time"
            data={ranges}
            value={last}
            onChange={(event) => setLast(event.currentTarget.value as OperatorCallTimesLast)}
          />
        </Group>
        {error && !data && <ErrorPanel title="The times could not be loaded" error={error} onRetry={refetch} />}
        {!times && !error && <RecordSkeleton rows={3} />}
        {times && (
          <Stack gap="sm" aria-busy={data === undefined} className={classes.answer}>
            {times.groups.length === 0 && <Text size="sm">No calls.</Text>}
            {times.groups.length > 0 && (
              <RecordTable
                label="Latency and errors"
                narrow={RecordLines}
                rows={times.groups}
                keyOf={({ name }) => name}
                columns={[
                  { header: 'Name', card: 'title', cell: ({ name }) => name },
                  { header: 'Calls', align: 'right', cell: ({ calls }) => groupThousands(calls) },
                  {
                    header: 'Error rate',
                    align: 'right',
                    cell: ({ calls, failedCalls }) => (calls === 0 ? '–' : formatShare(failedCalls, calls)),
                  },
                  {
                    header: 'Attempts failed',
                    align: 'right',
                    cell: ({ attempts, failedAttempts }) =>
                      `${groupThousands(failedAttempts)} of ${groupThousands(attempts)}`,
                  },
                  { header: 'p50', align: 'right', cell: ({ p50Ms }) => showTime(p50Ms) },
                  { header: 'p95', align: 'right', card: 'figure', cell: ({ p95Ms }) => showTime(p95Ms) },
                  { header: 'p99', align: 'right', cell: ({ p99Ms }) => showTime(p99Ms) },
                  { header: 'TTFT p50', align: 'right', cell: ({ firstByteP50Ms }) => showTime(firstByteP50Ms) },
                  { header: 'TTFT p95', align: 'right', cell: ({ firstByteP95Ms }) => showTime(firstByteP95Ms) },
                ]}
              />
            )}
            {times.isSample && (
              <Text size="sm">
                There were more calls than are sampled. Figures use the newest 500 of each hour of a day, or the newest
                1,000 of each five minutes of an hour.
              </Text>
            )}
            {times.otherGroups > 0 && (
              <Text size="sm">{groupThousands(times.otherGroups)} with fewer calls are not shown.</Text>
            )}
          </Stack>
        )}
      </Stack>
    </SectionCard>
  );
}

function showTime(ms: number | null | undefined): string {
  return ms == null ? '–' : formatDuration(ms);
}
