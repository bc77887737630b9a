import { useQuery } from '@apollo/client/react';
import { Anchor } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconListDetails } from '../../components/icons';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { LoadMoreButton } from '../../components/tables/load-more-button';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { LedgerEntryType, StatementQuery } from '../../gql/graphql';
import { formatCreditsAligned, formatSignedCredits, groupThousands } from '../../lib/format/format-credits';
import { formatMoment } from '../../lib/format/format-moment';
import { formatUtcTime } from '../../lib/format/format-time';
import { requestsBehind } from '../../lib/reports/requests-behind';
import { useLoadMore } from '../../lib/use-load-more';
import { usePresentHour } from '../../lib/use-now';
import { StatementActions } from './statement-actions';
import { describeStatementFilter, isNarrowed, readStatementFilter, StatementFilterBar } from './statement-filter-bar';
import classes from './statement-list.module.css';

const StatementDocument = graphql(`
  query Statement($after: String, $filter: StatementFilter) {
    viewer {
      id
      name
      email
    }
    statement(first: 25, after: $after, filter: $filter) {
      edges {
        cursor
        node {
          id
          type
          at
          amount
          balanceAfter
          callId
          callCount
          callsFrom
          model
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const hourMs = 3_600_000;

type Entry = StatementQuery['statement']['edges'][number]['node'];

const entryWords: Record<LedgerEntryType, string> = {
  PURCHASE: 'Purchase',
  GRANT: 'Gift',
  USAGE: 'Call',
  REFUND: 'Refund',
  REFUND_RETURNED: 'Failed refund',
  DISPUTE: 'Dispute',
  DISPUTE_RETURNED: 'Dispute, returned',
  ADJUSTMENT: 'Correction',
};

const columns: readonly RecordColumn<Entry>[] = [
  { header: 'What', card: 'title', cell: (entry) => <EntryName entry={entry} /> },
  { header: 'When', cell: (entry) => <EntryTime at={entry.at} /> },
  {
    header: 'Credits',
    align: 'right',
    card: 'figure',
    cell: ({ amount }) => (
      <span className={amount > 0 ? classes.incoming : undefined}>{formatSignedCredits(amount)}</span>
    ),
  },
  { header: 'Balance after', align: 'right', cell: (entry) => formatCreditsAligned(entry.balanceAfter) },
];

// On paper, "9 h ago" says nothing.
function EntryTime({ at }: { at: string }) {
  return (
    <>
      <span className="not-printed">
        <RelativeTime at={at} format={formatMoment} />
      </span>
      <span className="printed">{formatUtcTime(at)}</span>
    </>
  );
}

function EntryName({ entry }: { entry: Entry }) {
  const { type, callId, callCount, callsFrom, at, model } = entry;
  // Calls that follow each other are one line here; each stands in the list of requests.
  const words = !callId && typeof callCount === 'number' ? countCalls(callCount) : entryWords[type];
  const to = callId ? paths.request(callId) : callsFrom ? requestsBetween(callsFrom, at) : null;
  if (to === null) return words;
  return (
    <>
      <Anchor component={Link} to={to} inherit underline="always" className="lone-link">
        {words}
      </Anchor>
      {model && <span className={classes.model}> {model}</span>}
    </>
  );
}

function countCalls(count: number): string {
  return `${groupThousands(count)} ${count === 1 ? 'call' : 'calls'}`;
}

/** The requests of the hours from one moment to another. */
function requestsBetween(from: string, to: string): string {
  const [fromMs, lastMs] = [from, to].map((at) => Math.floor(Date.parse(at) / hourMs) * hourMs) as [number, number];
  return requestsBehind({ fromMs, toMs: lastMs + hourMs }, {});
}

/** Every movement of the balance, the newest first, with the balance after it. The address keeps what is chosen of it. */
export function StatementList() {
  const [search] = useSearchParams();
  const filter = readStatementFilter(search, usePresentHour());
  const { data, error, refetch, fetchMore } = useQuery(StatementDocument, {
    variables: { filter },
  });
  const more = useLoadMore(data?.statement.pageInfo, (after) => fetchMore({ variables: { after } }));
  const entries = data?.statement.edges.map((edge) => edge.node);
  async function loadToPrint() {
    let end = data?.statement.pageInfo;
    for (let pages = Math.ceil((entries?.length ?? 0) / 25); end?.hasNextPage && pages < pagesPrintedMax; pages += 1) {
      const { data: next } = await fetchMore({ variables: { after: end.endCursor ?? null } });
      end = next?.statement.pageInfo;
    }
    return end?.hasNextPage !== true;
  }
  return (
    <div className="print-part">
      <SectionCard
        title="Statement"
        description={
          <>
            Every credit in and out, with the balance after it.
            {data?.viewer && (
              <SheetHead
                account={data.viewer}
                lines={describeStatementFilter(search, filter)}
                newest={data.statement.pageInfo.hasNextPage ? data.statement.edges.length : null}
              />
            )}
          </>
        }
      >
        <StatementFilterBar>
          <StatementActions filter={filter} isLoaded={entries !== undefined} loadToPrint={loadToPrint} />
        </StatementFilterBar>
        {error && <ErrorPanel title="Your statement could not be loaded" error={error} onRetry={refetch} />}
        {!entries && !error && <RecordSkeleton />}
        {entries?.length === 0 && <NoEntries isNarrowed={isNarrowed(search)} />}
        {entries && entries.length > 0 && (
          <RecordTable label="Statement" columns={columns} rows={entries} keyOf={(entry) => entry.id} isDense />
        )}
        <div className="not-printed">
          <LoadMoreButton more={more} what="entries" />
        </div>
      </SectionCard>
    </div>
  );
}

interface SheetHeadProps {
  account: { name: string; email: string };
  lines: string;
  /** How many lines are here of more; null: all of them. */
  newest: number | null;
}

/** Of whom and of what a sheet of paper is: on the screen the page says it. */
function SheetHead({ account, lines, newest }: SheetHeadProps) {
  const whose = account.name === account.email ? account.email : `${account.name}, ${account.email}`;
  return (
    <span className="printed">
      {' '}
      {whose}. {lines}
      {newest !== null && ` Of these, the newest ${groupThousands(newest)}.`}
    </span>
  );
}

/** A thousand lines fit on some twenty sheets. */
const pagesPrintedMax = 40;

function NoEntries({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) {
    return (
      <EmptyState icon={<IconListDetails size={24} />} title="No matching lines">
        Choose another kind of line or a longer time.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<IconListDetails size={24} />} title="Nothing here yet">
      Purchases appear here as credits in, calls as credits out.
    </EmptyState>
  );
}
