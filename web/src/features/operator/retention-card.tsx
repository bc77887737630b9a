import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorDataRetentionQuery } from '../../gql/graphql';
import { formatAbsoluteTime, formatDay } from '../../lib/format/format-time';
import { type Act, ActDialog } from './act-dialog';
import type { May } from './operator-console';
import { readAgain } from './read-again';

const DataRetentionDocument = graphql(`
  query OperatorDataRetention {
    operator {
      dataRetention {
        receiptDays
        choice {
          reason
          createdBy
          createdAt
        }
        next {
          days
          inForceAt
          reason
          createdBy
          createdAt
        }
        oldestReceiptAt
        isExported
        others {
          what
          days
          words
        }
      }
    }
  }
`);

const SetReceiptRetentionDocument = graphql(`
  mutation OperatorSetReceiptRetention($input: OperatorReceiptRetentionInput!) {
    operator {
      setReceiptRetention(input: $input)
    }
  }
`);

type Retention = OperatorDataRetentionQuery['operator']['dataRetention'];

const receipts = 'Receipts of calls';
const defaultDays = 400;

/** For how long what is stored, and for how long receipts are from now on. */
export function RetentionCard({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(DataRetentionDocument);
  const [setRetention] = useMutation(SetReceiptRetentionDocument);
  const [act, setAct] = useState<Act | null>(null);
  const retention = data?.operator.dataRetention;
  if (!retention) {
    if (error) return <ErrorPanel title="How long data is kept could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={3} />;
  }
  const choose = async (days: number | null, reason: string) => {
    await setRetention({ variables: { input: { days, reason } } });
    return readAgain(refetch);
  };
  const days: Act = {
    label: 'Set a time for receipts',
    keptAs: 'receipt days',
    words:
      'Receipts are removed once every day of their UTC month is this many days old. Purchases, the statement and usage totals stay. A shorter time takes effect after 24 hours, so that you can undo it. Removed receipts cannot be restored.',
    fields: [
      {
        name: 'days',
        label: 'Days',
        description: '62 at least.',
        isNumber: true,
        initial: String(retention.receiptDays ?? defaultDays),
      },
    ],
    run: ({ reason, values }) => choose(Number(values.days), reason),
  };
  const forEver: Act = {
    label: 'Keep receipts forever',
    words: 'Receipts are no longer removed, on any server.',
    run: ({ reason }) => choose(null, reason),
  };
  return (
    <SectionCard
      title="How long data is kept"
      description="No prompts or answers are stored except as listed here. You choose how long receipts are kept."
    >
      <Stack gap="md">
        <Standing retention={retention} />
        <KeptTable retention={retention} />
        {may('setReceiptRetention') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(days)}>
              {days.label}
            </Button>
            {(retention.receiptDays !== null || retention.next) && (
              <Button size="xs" variant="default" onClick={() => setAct(forEver)}>
                {forEver.label}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}

function Standing({ retention: { choice, next, oldestReceiptAt, isExported } }: { retention: Retention }) {
  return (
    <>
      {next && (
        <Text size="sm">
          From {formatAbsoluteTime(next.inForceAt)} on, receipts are kept {describeDays(next.days)}. Chosen by{' '}
          {next.createdBy} <RelativeTime at={next.createdAt} />: {next.reason}
        </Text>
      )}
      {choice && (
        <Text size="sm">
          In force: chosen by {choice.createdBy} <RelativeTime at={choice.createdAt} />: {choice.reason}
        </Text>
      )}
      {oldestReceiptAt && (
        <Text size="sm">
          The oldest receipt is of {formatDay(oldestReceiptAt)}.{' '}
          {isExported
            ? 'Receipts are written to RETENTION_EXPORT_DIR before they are removed.'
            : 'Removed receipts are not exported, because RETENTION_EXPORT_DIR is not set.'}
        </Text>
      )}
    </>
  );
}

function KeptTable({ retention: { receiptDays, choice, others } }: { retention: Retention }) {
  const words = `Model, tokens, tag, end user, attempts and times of each call. ${choice ? 'Chosen here.' : 'Set by RETENTION_DAYS.'}`;
  const rows = [{ what: receipts, days: receiptDays, words }, ...others];
  return (
    <RecordTable
      label="How long data is kept"
      rows={rows}
      keyOf={({ what }) => what}
      columns={[
        { header: 'What', card: 'title', cell: ({ what }) => what },
        {
          header: 'Kept',
          cell: ({ what, days }) => (what === receipts ? describeDays(days) : describeKept(days)),
        },
        { header: 'More', cell: (row) => row.words },
      ]}
    />
  );
}

function describeKept(days: number | null): string {
  if (days === null) return 'forever';
  if (days === 0) return 'less than a day';
  return days === 1 ? '1 day' : `${days} days`;
}

function describeDays(days: number | null): string {
  return days === null ? 'forever' : `for ${days} days after their month`;
}
