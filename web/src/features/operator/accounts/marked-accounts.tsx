import { useQuery } from '@apollo/client/react';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { AccountLink } from '../account-link';
import { markKinds, nameMark } from './use-set-risk-mark';

const OperatorRiskMarksDocument = graphql(`
  query OperatorRiskMarks($kind: OperatorRiskMarkKind) {
    operator {
      riskMarks(kind: $kind, first: 50) {
        id
        accountId
        kind
        note
        endsAt
        setBy
        setAt
      }
    }
  }
`);

const choices = [
  { value: '', label: 'All marks' },
  ...markKinds.map((kind) => ({ value: kind, label: nameMark(kind) })),
];

/** Accounts that operators have marked, the newest mark first. */
export function MarkedAccounts() {
  const [kind, setKind] = useState('');
  const { data, error, refetch } = useQuery(OperatorRiskMarksDocument, {
    variables: { kind: markKinds.find((one) => one === kind) ?? null },
  });
  const marks = data?.operator.riskMarks;
  return (
    <SectionCard title="Marked accounts" description="Accounts that operators have marked on their pages.">
      <Stack gap="md">
        <NativeSelect
          label="Mark"
          maw={220}
          data={choices}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
        {error && !data && <ErrorPanel title="The marks could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={2} />}
        {marks?.length === 0 && <Text size="sm">None.</Text>}
        {marks && marks.length > 0 && (
          <RecordTable
            label="Marked accounts"
            rows={marks}
            keyOf={({ id }) => id}
            columns={[
              {
                header: 'Account',
                card: 'title',
                cell: ({ accountId }) => <AccountLink id={accountId} />,
              },
              { header: 'Mark', cell: (mark) => nameMark(mark.kind) },
              { header: 'Note', cell: ({ note }) => note },
              { header: 'Since', cell: ({ setAt }) => formatAbsoluteTime(setAt) },
              { header: 'Until', cell: ({ endsAt }) => (endsAt ? formatAbsoluteTime(endsAt) : 'it is cleared') },
              { header: 'By', cell: ({ setBy }) => setBy },
            ]}
          />
        )}
        {marks?.length === 50 && <Text size="sm">These are the newest 50.</Text>}
      </Stack>
    </SectionCard>
  );
}
