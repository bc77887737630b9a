import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorAccountRiskQuery } from '../../../gql/graphql';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { type Act, ActDialog } from '../act-dialog';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { nameMark, useSetRiskMark } from './use-set-risk-mark';

const OperatorAccountRiskDocument = graphql(`
  query OperatorAccountRisk($id: ID!) {
    operator {
      account(id: $id) {
        id
        hints {
          kind
          words
        }
        riskMarks {
          id
          kind
          note
          isHeld
          endsAt
          setBy
          setAt
          clearedBy
          clearedAt
          clearedReason
        }
      }
    }
  }
`);

const ClearRiskMarkDocument = graphql(`
  mutation OperatorClearRiskMark($id: ID!, $reason: String!) {
    operator {
      clearRiskMark(id: $id, reason: $reason)
    }
  }
`);

type RiskMark = NonNullable<OperatorAccountRiskQuery['operator']['account']>['riskMarks'][number];

interface RiskMarksProps {
  accountId: string;
  may: May;
  /** The account is not deleted. */
  isOpen: boolean;
  onChange: () => Promise<unknown>;
}

/** What operators have marked an account as, and what may be abuse of it now. */
export function RiskMarks({ accountId, may, isOpen, onChange }: RiskMarksProps) {
  const { data, error, refetch } = useQuery(OperatorAccountRiskDocument, { variables: { id: accountId } });
  const [clear] = useMutation(ClearRiskMarkDocument);
  const [act, setAct] = useState<Act | null>(null);
  const onDone = async () => {
    await readAgain(refetch);
    await readAgain(onChange);
  };
  const setMark = useSetRiskMark(accountId, onDone);
  const account = data?.operator.account;
  if (error && !data) return <ErrorPanel title="The marks could not be loaded" error={error} onRetry={refetch} />;
  if (!account) return <RecordSkeleton rows={2} />;
  const { hints, riskMarks } = account;
  const held = riskMarks.filter(({ isHeld }) => isHeld);
  const toClear = ({ id, kind }: RiskMark): Act => ({
    label: 'Clear mark',
    words: `It is no longer marked as ${nameMark(kind)}. The mark stays listed here as cleared.`,
    run: async ({ reason }) => {
      await clear({ variables: { id, reason } });
      return readAgain(onDone);
    },
  });
  return (
    <SectionCard title="Marks" description="Only operators see these. Calls continue as before.">
      <Stack gap="md">
        <Text size="sm">
          {held.length === 0 ? 'No marks.' : `Marked: ${held.map(({ kind }) => nameMark(kind)).join(', ')}.`}
        </Text>
        {hints.map(({ kind, words }) => (
          <Text key={kind} size="sm">
            {words}
          </Text>
        ))}
        {hints.length === 0 && <Text size="sm">No signs of abuse in the last seven days.</Text>}
        {riskMarks.length > 0 && (
          <MarkTable marks={riskMarks} onClear={may('clearRiskMark') ? (mark) => setAct(toClear(mark)) : null} />
        )}
        {isOpen && may('setRiskMark') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(setMark)}>
              Mark
            </Button>
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}

interface MarkTableProps {
  marks: readonly RiskMark[];
  onClear: ((mark: RiskMark) => void) | null;
}

function MarkTable({ marks, onClear }: MarkTableProps) {
  return (
    <RecordTable
      label="Marks"
      rows={marks}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Mark', card: 'title', cell: ({ kind }) => nameMark(kind) },
        { header: 'Note', cell: ({ note }) => note },
        { header: 'Since', cell: ({ setAt }) => formatAbsoluteTime(setAt) },
        { header: 'By', cell: ({ setBy }) => setBy },
        { header: 'State', cell: describeState },
        {
          header: 'Actions',
          cell: (mark) =>
            onClear &&
            mark.isHeld && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Clear mark: ${nameMark(mark.kind)}`}
                onClick={() => onClear(mark)}
              >
                Clear mark
              </Button>
            ),
        },
      ]}
    />
  );
}

function describeState({ isHeld, endsAt, clearedAt, clearedBy, clearedReason }: RiskMark): string {
  if (clearedAt) return `cleared ${formatAbsoluteTime(clearedAt)} by ${clearedBy}: ${clearedReason}`;
  if (!endsAt) return 'holds';
  return isHeld ? `holds until ${formatAbsoluteTime(endsAt)}` : `ended ${formatAbsoluteTime(endsAt)}`;
}
