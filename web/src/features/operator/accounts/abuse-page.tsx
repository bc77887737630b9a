import { useQuery } from '@apollo/client/react';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorAbuseQuery } from '../../../gql/graphql';
import { formatCreditsAligned, groupThousands } from '../../../lib/format/format-credits';
import { AccountLink } from '../account-link';
import classes from '../operator.module.css';
import type { May } from '../operator-console';
import { MarkedAccounts } from './marked-accounts';
import { SignUpBlocks } from './sign-up-blocks';
import { SignUpCard } from './sign-up-card';
import { nameMark } from './use-set-risk-mark';

const OperatorAbuseDocument = graphql(`
  query OperatorAbuse($hours: Int!) {
    operator {
      abuse(hours: $hours) {
        trustedAccounts
        signUps {
          isSample
          networks {
            network
            events
            accounts
            accountIds
            markedIds
          }
        }
        giftsClaimed {
          isSample
          networks {
            network
            events
            accounts
            accountIds
            markedIds
          }
        }
        declinedCards {
          accountId
          marks
          declined
          cards
          lastAt
        }
        spendingSpikes {
          accountId
          marks
          spent
          usualDay
        }
        widelyUsedKeys {
          keyId
          accountId
          marks
          day
          networks
        }
      }
    }
  }
`);

type Abuse = OperatorAbuseQuery['operator']['abuse'];

const ranges = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
];

/** What may be abuse, and who may not sign up. */
export function AbusePage({ may }: { may: May }) {
  const [hours, setHours] = useState('24');
  const { data, previousData, error, refetch } = useQuery(OperatorAbuseDocument, {
    variables: { hours: Number(hours) },
  });
  const abuse = (data ?? (error ? undefined : previousData))?.operator.abuse;
  return (
    <>
      <PageHeader title="Abuse" description="Signs of abuse, not proof. Freeze an account on its page." />
      <Stack gap="lg">
        <NativeSelect
          label="Time"
          maw={220}
          data={ranges}
          value={hours}
          onChange={(event) => setHours(event.currentTarget.value)}
        />
        {error && !data && <ErrorPanel title="The hints could not be loaded" error={error} onRetry={refetch} />}
        {!abuse && !error && <RecordSkeleton rows={20} />}
        {abuse && (
          <Stack gap="lg" aria-busy={data === undefined} className={classes.answer}>
            <Networks title="Sign-ups by network" counts={abuse.signUps} />
            <Networks title="Gift codes redeemed by network" counts={abuse.giftsClaimed} />
            <DeclinedCards accounts={abuse.declinedCards} />
            <SpendingSpikes accounts={abuse.spendingSpikes} />
            <WidelyUsedKeys keys={abuse.widelyUsedKeys} />
            {abuse.trustedAccounts > 0 && (
              <Text size="sm">
                {abuse.trustedAccounts === 1
                  ? '1 account is marked as trusted; these lists leave it out.'
                  : `${groupThousands(abuse.trustedAccounts)} accounts are marked as trusted; these lists leave them out.`}
              </Text>
            )}
          </Stack>
        )}
        <MarkedAccounts />
        <SignUpCard may={may} />
        <SignUpBlocks may={may} />
      </Stack>
    </>
  );
}

type NetworkCounts = Abuse['signUps']['networks'][number];

const networkColumns: readonly RecordColumn<NetworkCounts>[] = [
  { header: 'Network', card: 'title', cell: ({ network }) => <code>{network || 'not known'}</code> },
  { header: 'Times', align: 'right', cell: ({ events }) => groupThousands(events) },
  { header: 'Accounts', align: 'right', cell: ({ accounts }) => groupThousands(accounts) },
  {
    header: 'Newest',
    cell: ({ accountIds, markedIds }) => (
      <Stack gap="xs">
        {accountIds.map((id) => (
          <MarkedAccount key={id} id={id} marks={markedIds.includes(id) ? ['marked'] : []} />
        ))}
      </Stack>
    ),
  },
];

function Networks({ title, counts }: { title: string; counts: Abuse['signUps'] }) {
  return (
    <FoundCard title={title} rows={counts.networks} keyOf={({ network }) => network} columns={networkColumns}>
      {counts.isSample && <Text size="sm">There were more: these are the newest 10,000.</Text>}
    </FoundCard>
  );
}

const accountColumn = {
  header: 'Account',
  cell: ({ accountId, marks }: Pick<Abuse['declinedCards'][number], 'accountId' | 'marks'>) => (
    <MarkedAccount id={accountId} marks={marks.map(nameMark)} />
  ),
};

function DeclinedCards({ accounts }: { accounts: Abuse['declinedCards'] }) {
  return (
    <FoundCard
      title="Declined cards"
      description="Of automatic top-ups. Cards declined on the payment service’s own page are not counted."
      rows={accounts}
      keyOf={({ accountId }) => accountId}
      columns={[
        { ...accountColumn, card: 'title' },
        { header: 'Declined', align: 'right', cell: ({ declined }) => groupThousands(declined) },
        { header: 'Cards', align: 'right', cell: ({ cards }) => groupThousands(cards) },
        { header: 'Last', cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
      ]}
    />
  );
}

function SpendingSpikes({ accounts }: { accounts: Abuse['spendingSpikes'] }) {
  return (
    <FoundCard
      title="Spending spikes"
      description="Accounts that used at least a dollar in the last 24 hours, and five times as much as on a usual day of the week before."
      rows={accounts}
      keyOf={({ accountId }) => accountId}
      columns={[
        { ...accountColumn, card: 'title' },
        { header: 'Last 24 hours', align: 'right', cell: ({ spent }) => formatCreditsAligned(spent) },
        { header: 'Usual day', align: 'right', cell: ({ usualDay }) => formatCreditsAligned(usualDay) },
      ]}
    />
  );
}

function WidelyUsedKeys({ keys }: { keys: Abuse['widelyUsedKeys'] }) {
  return (
    <FoundCard
      title="Keys used from many networks"
      description="From five or more networks in one UTC day: a leaked key, or a service that runs in many places."
      rows={keys}
      keyOf={({ keyId, day }) => `${keyId} ${day}`}
      columns={[
        { header: 'Key', card: 'title', cell: ({ keyId }) => <code>{keyId}</code> },
        { header: 'Networks', align: 'right', cell: ({ networks }) => (networks < 50 ? networks : '50 or more') },
        { header: 'Day', cell: ({ day }) => day },
        accountColumn,
      ]}
    />
  );
}

interface FoundCardProps<Row> extends Omit<ComponentProps<typeof RecordTable<Row>>, 'label'> {
  title: string;
  description?: string;
  children?: ReactNode;
}

function FoundCard<Row>({ title, description, children, ...table }: FoundCardProps<Row>) {
  return (
    <SectionCard title={title} description={description}>
      {table.rows.length === 0 ? <Text size="sm">None.</Text> : <RecordTable label={title} {...table} />}
      {children}
    </SectionCard>
  );
}

function MarkedAccount({ id, marks }: { id: string; marks: readonly string[] }) {
  const link = <AccountLink id={id} />;
  if (marks.length === 0) return link;
  // Below it, so that the link stays as high as a finger needs.
  return (
    <Stack gap={0}>
      {link}
      <Text size="sm">{marks.join(', ')}</Text>
    </Stack>
  );
}
