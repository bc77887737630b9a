import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconBell } from '../../components/icons';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import type { NoticeChannel, NoticeState } from '../../gql/graphql';
import { formatMoment } from '../../lib/format/format-moment';
import { type Notice, useNotices } from '../../lib/use-notices';

const channelWords: Readonly<Record<NoticeChannel, string>> = {
  DASHBOARD: 'here',
  EMAIL: 'e-mail',
  WEBHOOK: 'webhook',
};
const stateWords: Readonly<Record<NoticeState, string>> = {
  SENT: '',
  WAITING: ' (waiting)',
  LOGGED: ' (not sent: this server sends no mail)',
  DROPPED: ' (not sent: the address was removed)',
  GIVEN_UP: ' (could not be delivered)',
};

const columns: readonly RecordColumn<Notice>[] = [
  {
    header: 'What',
    card: 'title',
    breaksWords: true,
    cell: ({ title, isRead }) => (
      <Text component="span" inherit fw={isRead ? 400 : 650}>
        {!isRead && 'New: '}
        {title}
      </Text>
    ),
  },
  { header: 'When', cell: ({ at }) => <RelativeTime at={at} format={formatMoment} /> },
  {
    header: 'Sent by',
    cell: ({ ways }) => ways.map(({ channel, state }) => channelWords[channel] + stateWords[state]).join(', '),
  },
];

/** What the account was told of its money and use, by which ways, and what of it is new to whoever looks. */
export function NoticeList() {
  const { notices, unreadCount, error, refetch, markAll, isMarking } = useNotices({ pollMs: 60_000 });
  return (
    <SectionCard
      title="Notifications"
      description="Alerts about budgets, spending spikes, the balance and top-ups: the newest 50 of the last 90 days."
      action={
        unreadCount > 0 && (
          <LoadingButton variant="default" size="xs" loading={isMarking} onClick={() => void markAll()}>
            Mark {unreadCount} as read
          </LoadingButton>
        )
      }
    >
      {error && <ErrorPanel title="The notifications could not be loaded" error={error} onRetry={refetch} />}
      {!notices && !error && <RecordSkeleton rows={3} />}
      {notices?.length === 0 && (
        <EmptyState icon={<IconBell size={24} />} title="No notifications yet">
          Alerts appear here. Turn on e-mail on the page{' '}
          <Anchor component={Link} to={paths.credits()} inherit underline="always">
            Credits
          </Anchor>
          , and webhooks on the page{' '}
          <Anchor component={Link} to={paths.webhooks()} inherit underline="always">
            Webhooks
          </Anchor>
          .
        </EmptyState>
      )}
      {notices && notices.length > 0 && (
        <RecordTable label="Notifications" columns={columns} rows={notices} keyOf={({ id }) => id} />
      )}
    </SectionCard>
  );
}
