import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../../components/relative-time';
import { RecordTable } from '../../../components/tables/record-table';
import type { OperatorWatchQuery } from '../../../gql/graphql';

type PaymentFault = OperatorWatchQuery['operator']['watch']['quarantinedEvents'][number];

interface PaymentFaultTableProps {
  events: readonly PaymentFault[];
  /** Left out: nothing is changed here. */
  changeOf?: (id: string) => ReactNode;
}

/** Events of the payment service that do not fit their purchases. */
export function PaymentFaultTable({ events, changeOf }: PaymentFaultTableProps) {
  if (events.length === 0) return <Text size="sm">None.</Text>;
  return (
    <RecordTable
      label="Payments that do not match"
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Event', card: 'title', cell: ({ id }) => <code>{id}</code> },
        { header: 'What', cell: ({ type }) => type },
        { header: 'Why', cell: ({ reason }) => reason ?? '–' },
        { header: 'Purchase', cell: ({ purchaseId }) => purchaseId ?? '–' },
        { header: 'Came', cell: ({ receivedAt }) => <RelativeTime at={receivedAt} /> },
        ...(changeOf ? [{ header: 'Actions', cell: ({ id }: PaymentFault) => changeOf(id) }] : []),
      ]}
    />
  );
}
