import { useQuery } from '@apollo/client/react';
import { ErrorPanel } from '../../components/error-panel';
import { PageHeader } from '../../components/page-header';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { ChangeList } from './change-list';

const OperatorLogDocument = graphql(`
  query OperatorLog {
    operator {
      log(first: 100) {
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

/** The newest hundred of what operators have done. */
export function LogPage() {
  const { data, error, refetch } = useQuery(OperatorLogDocument);
  return (
    <>
      <PageHeader
        title="Log"
        description="What operators have done, the newest first. Nobody can change or delete it here."
      />
      {error && !data && <ErrorPanel title="The log could not be loaded" error={error} onRetry={refetch} />}
      {!error && !data && <RecordSkeleton rows={8} />}
      {data && (
        <SectionCard title="The newest hundred">
          <ChangeList changes={data.operator.log} isOfAll />
        </SectionCard>
      )}
    </>
  );
}
