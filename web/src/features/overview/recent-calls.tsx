import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { IconReceipt } from '../../components/icons';
import { OutcomeBadge } from '../../components/outcome-badge';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { formatCreditsAligned, groupThousands } from '../../lib/format/format-credits';
import type { CallOutcomeName } from '../../lib/requests/call-outcome';

interface RecentCall {
  id: string;
  startedAt: string;
  outcome: CallOutcomeName;
  model: string;
  promptTokens: number;
  completionTokens: number;
  charged: number;
}

const columns: readonly RecordColumn<RecentCall>[] = [
  {
    header: 'Model',
    card: 'title',
    cell: (call) => (
      <Anchor
        component={Link}
        to={paths.request(call.id)}
        c="inherit"
        inherit
        fw={600}
        className="lone-link"
        aria-label={`Receipt of the call to ${call.model}`}
      >
        {call.model}
      </Anchor>
    ),
  },
  { header: 'When', cell: (call) => <RelativeTime at={call.startedAt} /> },
  {
    header: 'Tokens in / out',
    align: 'right',
    // As in the list of requests on a phone: the receipt has them.
    card: 'hidden',
    cell: (call) => `${groupThousands(call.promptTokens)} / ${groupThousands(call.completionTokens)}`,
  },
  { header: 'Credits', align: 'right', cell: (call) => formatCreditsAligned(call.charged) },
  { header: 'Outcome', card: 'aside', cell: (call) => <OutcomeBadge outcome={call.outcome} /> },
];

/** The latest five calls; each leads to its receipt. */
export function RecentCalls({ calls }: { calls: readonly RecentCall[] }) {
  return (
    <SectionCard
      title="Recent calls"
      action={
        calls.length > 0 && (
          <Anchor component={Link} to={paths.requests()} size="sm" fw={550} className="lone-link">
            All requests
          </Anchor>
        )
      }
    >
      {calls.length === 0 ? (
        <EmptyState icon={<IconReceipt size={24} />} title="No calls yet">
          Run a snippet from the quickstart. The call appears here within seconds, with its tokens and price.
        </EmptyState>
      ) : (
        <RecordTable label="Recent calls" columns={columns} rows={calls} keyOf={(call) => call.id} isDense />
      )}
    </SectionCard>
  );
}
