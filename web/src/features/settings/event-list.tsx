import { useQuery } from '@apollo/client/react';
import { Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { serverPaths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { IconDownload } from '../../components/icons';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { LoadMoreButton } from '../../components/tables/load-more-button';
import { RecordLines } from '../../components/tables/record-lines';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { AccountEventsQuery } from '../../gql/graphql';
import { formatMoment } from '../../lib/format/format-moment';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { browserName } from '../../lib/session/browser-name';
import { roleWords } from '../../lib/session/roles';
import { useLoadMore } from '../../lib/use-load-more';
import { type EventGroup, eventGroups, eventWords } from './event-words';

const AccountEventsDocument = graphql(`
  query AccountEvents($filter: AccountEventFilter, $after: String) {
    accountEvents(filter: $filter, first: 10, after: $after) {
      edges {
        cursor
        node {
          id
          kind
          at
          actorId
          personName
          role
          detail
          network
          userAgent
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type AccountEvent = AccountEventsQuery['accountEvents']['edges'][number]['node'];

const groupNames = Object.keys(eventGroups) as EventGroup[];

const columns: readonly RecordColumn<AccountEvent>[] = [
  {
    header: 'What',
    card: 'title',
    cell: ({ kind, detail }) => (detail === null ? eventWords[kind] : `${eventWords[kind]}: ${nameInSentence(detail)}`),
  },
  { header: 'When', card: 'figure', cell: ({ at }) => <RelativeTime at={at} format={formatMoment} /> },
  { header: 'By', cell: (event) => <By event={event} /> },
  { header: 'From', cell: ({ network }) => network ?? 'this server' },
];

function By({ event: { actorId, personName, role, userAgent, network } }: { event: AccountEvent }) {
  const program = userAgent === null ? '' : browserName(userAgent);
  const person = personName && role ? `${nameInSentence(personName)} (${roleWords[role]})` : '';
  const who = actorId?.startsWith('key_') ? 'a key' : [person, program].filter((words) => words !== '').join(', ');
  return <span title={userAgent ?? undefined}>{who || (network === null ? 'Tollgate' : 'somebody')}</span>;
}

/** Who did what to the account, from where and when. */
export function EventList() {
  const [group, setGroup] = useState<EventGroup>('all');
  const { kinds } = eventGroups[group];
  const variables = { filter: kinds === null ? {} : { kinds: [...kinds] } };
  const { data, error, refetch, fetchMore } = useQuery(AccountEventsDocument, {
    variables,
  });
  const more = useLoadMore(data?.accountEvents.pageInfo, (after) => fetchMore({ variables: { ...variables, after } }));
  const events = data?.accountEvents.edges.map((edge) => edge.node);
  return (
    <SectionCard
      title="Activity"
      description="Sign-ins and changes in the last year, up to 5,000. If one of them was not you, change your password."
      action={
        <Button
          component="a"
          href={serverPaths.eventsCsv()}
          download
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download as CSV
        </Button>
      }
    >
      <Select
        label="Show"
        maw={280}
        mb="md"
        allowDeselect={false}
        value={group}
        data={groupNames.map((value) => ({ value, label: eventGroups[value].label }))}
        onChange={(value) => setGroup(groupNames.find((name) => name === value) ?? 'all')}
      />
      {error && <ErrorPanel title="The activity could not be loaded" error={error} onRetry={refetch} />}
      {!events && !error && <RecordSkeleton rows={4} />}
      {events?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing to show.
        </Text>
      )}
      {events && events.length > 0 && (
        <RecordTable label="Activity" narrow={RecordLines} columns={columns} rows={events} keyOf={({ id }) => id} />
      )}
      <LoadMoreButton more={more} what="events" />
    </SectionCard>
  );
}
