import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { PageHeader } from '../../components/page-header';
import { SectionCard } from '../../components/section-card';
import { LoadMoreButton } from '../../components/tables/load-more-button';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { useLoadMore } from '../../lib/use-load-more';
import { ChangeList } from './change-list';

const OperatorLogDocument = graphql(`
  query OperatorLog($before: ID) {
    operator {
      log(first: 100, before: $before) {
        id
        at
        actor
        action
        accountId
        subject
        amount
        reason
      }
    }
  }
`);

const linesPerPage = 100;

/** What operators have done, a hundred lines at a time. */
export function LogPage() {
  const { data, error, refetch, fetchMore } = useQuery(OperatorLogDocument);
  // Read anew, the list is its newest hundred again, and goes on.
  const [lastId, setLastId] = useState<string | null>(null);
  const changes = data?.operator.log ?? [];
  const hasNextPage = changes.length >= linesPerPage && changes.at(-1)?.id !== lastId;
  const more = useLoadMore({ hasNextPage, endCursor: changes.at(-1)?.id ?? null }, async (before) => {
    await fetchMore({
      variables: { before },
      updateQuery: (known, { fetchMoreResult: older }) => {
        const log = [...known.operator.log, ...older.operator.log];
        if (older.operator.log.length < linesPerPage) setLastId(log.at(-1)?.id ?? null);
        return { operator: { ...known.operator, log } };
      },
    });
  });
  return (
    <>
      <PageHeader
        title="Log"
        description="Everything operators have done, newest first. Entries cannot be changed or deleted here."
      />
      {error && !data && <ErrorPanel title="The log could not be loaded" error={error} onRetry={refetch} />}
      {!error && !data && <RecordSkeleton rows={8} />}
      {data && (
        <SectionCard title="Operator actions">
          <ChangeList changes={changes} isOfAll />
          <LoadMoreButton more={more} what="lines" />
        </SectionCard>
      )}
    </>
  );
}
