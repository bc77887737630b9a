import { useQuery } from '@apollo/client/react';
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { FoldedTable } from '../../components/folded-table';
import type { RecordColumn } from '../../components/record-table';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { RefusalsQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format-credits';
import { type RefusalWords, refusalWords } from '../../lib/refusal-words';

const RefusalsDocument = graphql(`
  query Refusals {
    refusals(first: 100) {
      edges {
        cursor
        node {
          id
          at
          times
          status
          code
          model
          param
          apiKey {
            id
            name
          }
        }
      }
    }
  }
`);

type Refusal = RefusalsQuery['refusals']['edges'][number]['node'];

const rowsShown = 5;
const pollMs = 15_000;

const columns: readonly RecordColumn<Refusal>[] = [
  { header: 'When', card: 'aside', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    header: 'Cause',
    card: 'title',
    cell: ({ code, status, param }) => (
      <>
        {refusalWords(code, status).cause}
        {param && (
          <>
            : <code>{param}</code>
          </>
        )}
      </>
    ),
  },
  { header: 'Model', cell: ({ model }) => model ?? '–' },
  { header: 'Key', cell: ({ apiKey }) => apiKey?.name ?? 'Playground' },
  { header: 'Error', cell: ({ status, code }) => <code>{`${status} ${code}`}</code> },
  { header: 'Requests', align: 'right', cell: ({ times }) => groupThousands(times) },
  { header: 'Credits', align: 'right', cell: () => 'Free' },
  { header: 'Fix', cell: (refusal) => <FixLink {...refusalWords(refusal.code, refusal.status)} /> },
];

/** Requests that were refused before they became calls: why, and one press to what mends it. Nothing while there are none. */
export function RefusalList() {
  const { data, error, refetch } = useQuery(RefusalsDocument, {
    fetchPolicy: 'cache-and-network',
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  if (error && !data) {
    return <ErrorPanel title="Your refused requests could not be loaded" error={error} onRetry={refetch} />;
  }
  const refusals = data?.refusals.edges.map(({ node }) => node) ?? [];
  if (refusals.length === 0) return null;
  return (
    <SectionCard
      title="Refused requests"
      description="They cost nothing and never reached a model. The newest 200 of the last 30 days are kept, without what was asked."
    >
      <FoldedTable
        rowsShown={rowsShown}
        what="refused requests"
        label="Refused requests"
        columns={columns}
        rows={refusals}
        keyOf={({ id }) => id}
      />
    </SectionCard>
  );
}

function FixLink({ fix: { words, place } }: RefusalWords) {
  return (
    <Anchor component={Link} to={paths[place]()} inherit fw={550} className="unbroken">
      {words}
    </Anchor>
  );
}
