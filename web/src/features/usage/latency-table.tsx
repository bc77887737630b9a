import { useQuery } from '@apollo/client/react';
import { ErrorPanel } from '../../components/error-panel';
import { KeptAnswer } from '../../components/reports/kept-answer';
import { SectionCard } from '../../components/section-card';
import { FoldedTable } from '../../components/tables/folded-table';
import { RecordLines } from '../../components/tables/record-lines';
import { type RecordColumn, RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { LatencyGrouping, LatencyQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatDuration } from '../../lib/format/format-time';
import type { TimeSpan } from '../../lib/reports/time-range';
import { formatShare } from '../../lib/reports/usage-series';

const LatencyDocument = graphql(`
  query Latency($input: LatencyInput!) {
    latency(input: $input) {
      key
      calls
      failedCalls
      medianMs
      p95Ms
      medianFirstByteMs
    }
  }
`);

type Row = LatencyQuery['latency'][number];

const duration = (ms: number | null | undefined) => (typeof ms === 'number' ? formatDuration(ms) : '–');

const columnsAfterName: readonly RecordColumn<Row>[] = [
  { header: 'Calls', align: 'right', cell: ({ calls }) => groupThousands(calls) },
  {
    header: 'Failed',
    align: 'right',
    cell: ({ calls, failedCalls }) => (failedCalls === 0 ? '0' : formatShare(failedCalls, calls)),
  },
  { header: 'TTFT p50', align: 'right', cell: ({ medianFirstByteMs }) => duration(medianFirstByteMs) },
  { header: 'Latency p50', align: 'right', card: 'figure', cell: ({ medianMs }) => duration(medianMs) },
  { header: 'Latency p95', align: 'right', cell: ({ p95Ms }) => duration(p95Ms) },
];

/** How quickly and how reliably each provider, or each model, answered. */
export function LatencyTable({ span, groupBy }: { span: TimeSpan; groupBy: LatencyGrouping }) {
  const { data, error, refetch } = useQuery(LatencyDocument, {
    variables: {
      input: { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString(), groupBy },
    },
  });
  const name = groupBy === 'MODEL' ? 'Model' : 'Provider';
  return (
    <SectionCard
      title={`Latency and failures by ${name.toLowerCase()}`}
      description="TTFT is the time to the first token. Times are of complete answers. A call counts as failed if the answer was not complete. It is free, or charged only for what arrived."
    >
      {error && <ErrorPanel title="The times could not be loaded" error={error} onRetry={refetch} />}
      {!error && (
        <KeptAnswer outline={<RecordSkeleton rows={3} />}>
          {data ? (
            <FoldedTable
              rowsShown={10}
              narrow={RecordLines}
              what={`${name.toLowerCase()}s`}
              label={`Latency by ${name.toLowerCase()}`}
              columns={[
                { header: name, card: 'title', cell: ({ key }) => <strong>{key}</strong> },
                ...columnsAfterName,
              ]}
              rows={data.latency}
              keyOf={({ key }) => key}
            />
          ) : null}
        </KeptAnswer>
      )}
    </SectionCard>
  );
}
