import { useApolloClient, useQuery } from '@apollo/client/react';
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { BusyButton } from '../../../components/buttons/busy-button';
import { ErrorPanel } from '../../../components/error-panel';
import { FormFault } from '../../../components/form-fault';
import { PageHeader } from '../../../components/page-header';
import { SectionCard } from '../../../components/section-card';
import { FoldedTable } from '../../../components/tables/folded-table';
import { RecordLines } from '../../../components/tables/record-lines';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorMoneyQuery } from '../../../gql/graphql';
import { saveText } from '../../../lib/format/csv';
import { formatCredits, formatCreditsAligned } from '../../../lib/format/format-credits';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { graphqlErrorSentence } from '../../../lib/graphql-error-message';
import classes from '../operator.module.css';
import type { May } from '../operator-console';
import { GiftCodes } from './gift-codes';
import { MoneyUsage } from './money-usage';
import { PaymentFaults } from './payment-faults';
import { RefundRequests } from './refund-requests';
import { RefusedSettlements } from './refused-settlements';

const OperatorMoneyDocument = graphql(`
  query OperatorMoney($from: DateTime!, $to: DateTime!) {
    operator {
      money(from: $from, to: $to) {
        opening
        closing
        summedUntil
        sums {
          sales
          gifts
          grants
          refunds
          refundsReturned
          disputes
          disputesReturned
          added
          takenBack
          charged
          absorbed
        }
        days {
          day
          opening
          closing
          sums {
            sales
            gifts
            grants
            refunds
            disputes
            charged
          }
        }
      }
      liability {
        total
        unbookedUse
        summedUntil
      }
    }
  }
`);

const MonthCloseDocument = graphql(`
  query OperatorMonthClose($month: String!) {
    operator {
      monthClose(month: $month)
    }
  }
`);

type Operator = OperatorMoneyQuery['operator'];
type Sums = Operator['money']['sums'];

const monthsListed = 24;
/** The newest, until one asks for all. */
const daysShown = 7;

/** The money of a month, which stands in the address. */
export function MoneyPage({ may }: { may: May }) {
  const [search, setSearch] = useSearchParams();
  const months = listMonths(new Date());
  const asked = search.get('month') ?? '';
  const month = months.includes(asked) ? asked : (months[0] ?? '');
  const range = rangeOf(month);
  const { data: fresh, previousData, error, refetch } = useQuery(OperatorMoneyDocument, { variables: range });
  const data = fresh ?? (error ? undefined : previousData);
  return (
    <>
      <PageHeader
        title="Money"
        description="From the ledger’s journal, in credits and UTC days. 1,000 credits are 1 dollar."
      />
      <Stack gap="lg">
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Month"
            data={months}
            value={month}
            onChange={(event) => setSearch({ month: event.currentTarget.value })}
          />
          <CloseButton month={month} />
        </Group>
        {error && !data && <ErrorPanel title="The figures could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={8} />}
        {data && (
          <Stack gap="lg" aria-busy={fresh === undefined} className={classes.answer}>
            <Summing summedUntil={data.operator.money.summedUntil} />
            <Standing operator={data.operator} />
            <Moved
              sums={data.operator.money.sums}
              opening={data.operator.money.opening}
              closing={data.operator.money.closing}
            />
            <RefundRequests may={may} />
            <PaymentFaults may={may} />
            <RefusedSettlements may={may} />
            <GiftCodes may={may} />
            <MoneyUsage range={range} />
            <Days days={data.operator.money.days} />
          </Stack>
        )}
      </Stack>
    </>
  );
}

/** With much in the last hour, and after an upgrade, while the years before it are being summed. */
function Summing({ summedUntil }: { summedUntil?: string | null }) {
  if (summedUntil == null) return null;
  if (summedUntil.startsWith('1970')) {
    return <Text role="status">The journal is being summed for the first time. Check again in a minute.</Text>;
  }
  return (
    <Text role="status">
      As of {formatAbsoluteTime(summedUntil)}: later movements are not summed yet. The close as CSV has all of them.
    </Text>
  );
}

function CloseButton({ month }: { month: string }) {
  const client = useApolloClient();
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const close = async () => {
    setIsBusy(true);
    setFault(null);
    try {
      const options = { query: MonthCloseDocument, variables: { month }, fetchPolicy: 'network-only' } as const;
      const { data } = await client.query(options);
      saveText(`tollgate-close-${month}.csv`, 'text/csv', data?.operator.monthClose ?? '');
      setSaid(`The close of ${month} was saved.`);
    } catch (error) {
      setFault(graphqlErrorSentence(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      <BusyButton variant="default" isBusy={isBusy} onClick={() => void close()}>
        Close as CSV
      </BusyButton>
      <Text size="sm" role="status">
        {said}
      </Text>
      <FormFault fault={fault} />
    </>
  );
}

function Standing({ operator: { liability } }: { operator: Operator }) {
  const { summedUntil } = liability;
  const words = 'Unspent credits of all accounts, less their debts';
  return (
    <SectionCard
      title={summedUntil == null ? 'Owed to customers now' : 'Owed to customers'}
      description={summedUntil == null ? `${words}.` : `${words}, as of ${formatAbsoluteTime(summedUntil)}.`}
    >
      <dl className={classes.figures}>
        <div>
          <dt>Liability</dt>
          <dd>{formatCredits(liability.total)}</dd>
        </div>
        <div>
          <dt>Used, not in the journal yet</dt>
          <dd>{formatCredits(liability.unbookedUse)}</dd>
        </div>
      </dl>
    </SectionCard>
  );
}

const lines: readonly { label: string; sign: -1 | 1; of: keyof Omit<Sums, '__typename' | 'absorbed'> }[] = [
  { label: 'Sales', sign: 1, of: 'sales' },
  { label: 'Gifts', sign: 1, of: 'gifts' },
  { label: 'Given by operators', sign: 1, of: 'grants' },
  { label: 'Refunds', sign: -1, of: 'refunds' },
  { label: 'Failed refunds', sign: 1, of: 'refundsReturned' },
  { label: 'Disputes', sign: -1, of: 'disputes' },
  { label: 'Disputes won', sign: 1, of: 'disputesReturned' },
  { label: 'Corrections', sign: 1, of: 'added' },
  { label: 'Taken back by operators', sign: -1, of: 'takenBack' },
  { label: 'Usage', sign: -1, of: 'charged' },
];

function Moved({ sums, opening, closing }: { sums: Sums; opening: number; closing: number }) {
  const rows = [
    { label: 'Opening liability', amount: opening },
    ...lines.map(({ label, sign, of }) => ({ label, amount: sums[of] === 0 ? 0 : sign * sums[of] })),
    { label: 'Closing liability', amount: closing },
  ];
  return (
    <SectionCard
      title="The month"
      description={`Absorbed, which moves no wallet: ${formatCredits(sums.absorbed)} credits.`}
    >
      <RecordTable
        label="The month"
        narrow={RecordLines}
        rows={rows}
        keyOf={({ label }) => label}
        columns={[
          { header: 'What', card: 'title', cell: ({ label }) => label },
          { header: 'Credits', align: 'right', card: 'figure', cell: ({ amount }) => formatCreditsAligned(amount) },
        ]}
      />
    </SectionCard>
  );
}

function Days({ days }: { days: Operator['money']['days'] }) {
  const columns = (['sales', 'gifts', 'grants', 'refunds', 'disputes', 'charged'] as const).map((name) => ({
    header: name === 'charged' ? 'Usage' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    align: 'right' as const,
    card: name === 'charged' ? ('figure' as const) : ('detail' as const),
    cell: ({ sums }: Operator['money']['days'][number]) => formatCreditsAligned(sums[name]),
  }));
  return (
    <SectionCard title="By day" description="The newest first. The CSV has every column.">
      <FoldedTable
        label="The month by day"
        narrow={RecordLines}
        what="days"
        rowsShown={daysShown}
        rows={[...days].reverse()}
        keyOf={({ day }) => day}
        columns={[
          { header: 'Day', card: 'title', cell: ({ day }) => day.slice(0, 10) },
          ...columns,
          // Beside it on a phone there is room for one figure, which is that of the day itself.
          { header: 'Closing', align: 'right', cell: ({ closing }) => formatCreditsAligned(closing) },
        ]}
      />
    </SectionCard>
  );
}

/** This month and those before it, the newest first, as `2026-01`. */
function listMonths(now: Date): readonly string[] {
  return Array.from({ length: monthsListed }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

function rangeOf(month: string): { from: string; to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { from: `${month}-01T00:00:00.000Z`, to: new Date(Date.UTC(year, number)).toISOString() };
}
