import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { type RecordColumn, RecordTable } from '../../../components/tables/record-table';
import { formatCreditsAligned, formatSignedCredits, groupThousands } from '../../../lib/format/format-credits';
import { browserName } from '../../../lib/session/browser-name';
import type { ShownAccount } from './account-page';

interface AccountRecordsProps {
  account: ShownAccount;
  /** null: this operator may not. */
  onRevokeKey: ((keyId: string) => void) | null;
  onRefund: ((purchase: Purchase) => void) | null;
}

type Purchase = ShownAccount['purchases'][number];

/** The newest of everything that an account has. */
export function AccountRecords({ account, onRevokeKey, onRefund }: AccountRecordsProps) {
  return (
    <>
      <Records title="Purchases" rows={account.purchases} columns={listPurchaseColumns(onRefund)} />
      <Records title="Statement" rows={account.statement} columns={statementColumns} />
      <Records title="Keys" rows={account.keys} columns={listKeyColumns(onRevokeKey)} />
      <Records title="Calls" rows={account.calls} columns={callColumns} />
      <Records title="Sessions" rows={account.sessions} columns={sessionColumns} />
      <Records title="Notices" rows={account.notices} columns={noticeColumns} />
    </>
  );
}

interface RecordsProps<Row> {
  title: string;
  rows: readonly Row[];
  columns: readonly RecordColumn<Row>[];
}

function Records<Row extends { readonly id: string }>({ title, rows, columns }: RecordsProps<Row>): ReactNode {
  return (
    <SectionCard title={title}>
      {rows.length === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <RecordTable label={title} rows={rows} columns={columns} keyOf={({ id }) => id} />
      )}
    </SectionCard>
  );
}

const inDollars = (cents: number) =>
  `$${groupThousands(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`;

const purchaseColumns: readonly RecordColumn<Purchase>[] = [
  // Two long ids leave no room for the button at the end.
  { header: 'Purchase', card: 'title', breaksWords: true, cell: ({ id }) => <code>{id}</code> },
  { header: 'Price', align: 'right', cell: ({ cents }) => inDollars(cents) },
  { header: 'Credits', align: 'right', cell: ({ credits }) => formatCreditsAligned(credits) },
  { header: 'State', cell: ({ status, refundedCents }) => describeState(status, refundedCents) },
  { header: 'Begun', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { header: 'Payment', card: 'hidden', breaksWords: true, cell: ({ paymentId }) => paymentId ?? '–' },
];

const statementColumns: readonly RecordColumn<ShownAccount['statement'][number]>[] = [
  { header: 'Line', card: 'title', cell: ({ type }) => type.replaceAll('_', ' ') },
  { header: 'Booked', cell: ({ at }) => <RelativeTime at={at} /> },
  { header: 'Credits', align: 'right', card: 'figure', cell: ({ amount }) => formatSignedCredits(amount) },
  { header: 'Balance', align: 'right', cell: ({ balanceAfter }) => formatCreditsAligned(balanceAfter) },
];

const callColumns: readonly RecordColumn<ShownAccount['calls'][number]>[] = [
  { header: 'Call', card: 'title', cell: ({ id }) => <code>{id}</code> },
  { header: 'Begun', cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { header: 'Model', cell: ({ model }) => model },
  { header: 'Provider', cell: ({ provider }) => provider },
  { header: 'Outcome', cell: ({ outcome }) => outcome },
  { header: 'Credits', align: 'right', card: 'figure', cell: ({ charged }) => formatCreditsAligned(charged) },
];

const sessionColumns: readonly RecordColumn<ShownAccount['sessions'][number]>[] = [
  { header: 'Browser', card: 'title', cell: ({ userAgent }) => browserName(userAgent ?? null) },
  { header: 'Last used', cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
];

const noticeColumns: readonly RecordColumn<ShownAccount['notices'][number]>[] = [
  { header: 'Notice', card: 'title', cell: ({ title }) => title },
  { header: 'By', cell: ({ channel }) => channel },
  { header: 'State', cell: ({ state }) => state.replaceAll('_', ' ') },
  { header: 'Written', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

function describeState(status: string, refundedCents: number): string {
  return refundedCents === 0 ? status : `${status}, $${(refundedCents / 100).toFixed(2)} given back`;
}

function listPurchaseColumns(onRefund: ((purchase: Purchase) => void) | null): readonly RecordColumn<Purchase>[] {
  if (onRefund === null) return purchaseColumns;
  const change: RecordColumn<Purchase> = {
    header: 'Actions',
    cell: (purchase) =>
      purchase.status === 'paid' && purchase.refundedCents < purchase.cents ? (
        <Button size="xs" variant="default" aria-label={`Refund ${purchase.id}`} onClick={() => onRefund(purchase)}>
          Refund
        </Button>
      ) : null,
  };
  return [...purchaseColumns, change];
}

function listKeyColumns(
  onRevoke: ((keyId: string) => void) | null,
): readonly RecordColumn<ShownAccount['keys'][number]>[] {
  return [
    { header: 'Key', card: 'title', cell: ({ name }) => name },
    { header: 'Secret', cell: ({ maskedSecret }) => <code className="unbroken">{maskedSecret}</code> },
    { header: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'never') },
    {
      header: 'State',
      cell: ({ revokedAt }) => <span className="unbroken">{revokedAt ? 'revoked' : 'in force'}</span>,
    },
    {
      header: 'Actions',
      cell: ({ id, name, revokedAt }) =>
        onRevoke && !revokedAt ? (
          <Button size="xs" variant="default" aria-label={`Revoke ${name}`} onClick={() => onRevoke(id)}>
            Revoke
          </Button>
        ) : null,
    },
  ];
}
