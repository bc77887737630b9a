import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorAnnouncementsQuery } from '../../gql/graphql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { type Act, ActDialog, type ActField, type ActInput } from './act-dialog';
import type { May } from './operator-console';
import { readAgain } from './read-again';

const OperatorAnnouncementsDocument = graphql(`
  query OperatorAnnouncements {
    operator {
      announcements {
        id
        isMaintenance
        text
        startsAt
        endsAt
        createdBy
      }
    }
  }
`);

const AnnounceDocument = graphql(`
  mutation OperatorAnnounce($input: OperatorAnnouncementInput!) {
    operator {
      announce(input: $input) {
        id
      }
    }
  }
`);

const EndAnnouncementDocument = graphql(`
  mutation OperatorEndAnnouncement($id: ID!, $reason: String!) {
    operator {
      endAnnouncement(id: $id, reason: $reason)
    }
  }
`);

type Announcement = OperatorAnnouncementsQuery['operator']['announcements'][number];

const fields: readonly ActField[] = [
  { name: 'text', label: 'Text', description: 'One line that everybody sees, even without signing in.' },
  {
    name: 'startsAt',
    label: 'From',
    description: 'In your own time zone. Empty: now.',
    isTime: true,
    isOptional: true,
  },
  {
    name: 'endsAt',
    label: 'Until',
    description: 'Empty: until somebody ends it.',
    isTime: true,
    isOptional: true,
  },
];

/** What everybody is told on the dashboard, and when new calls are refused. */
export function AnnouncementCard({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorAnnouncementsDocument, { pollInterval: 10_000 });
  const [announce] = useMutation(AnnounceDocument);
  const [end] = useMutation(EndAnnouncementDocument);
  const [act, setAct] = useState<Act | null>(null);
  if (!data) {
    if (error) return <ErrorPanel title="The announcements could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={1} />;
  }
  const { announcements } = data.operator;
  const toAnnounce = ({ isMaintenance }: { isMaintenance: boolean }): Act => ({
    label: isMaintenance ? 'Begin maintenance' : 'Announce',
    words: isMaintenance
      ? 'While it lasts, new calls are refused with 503, at no cost. Running calls finish as usual. Everybody sees the announcement from now on.'
      : 'It appears above every page of the dashboard, on every server within two seconds.',
    fields,
    keptAs: isMaintenance ? 'maintenance' : 'announcement',
    isDangerous: isMaintenance,
    run: async ({ reason, values }) => {
      await announce({ variables: { input: { isMaintenance, reason, ...toInput(values) } } });
      return readAgain(refetch);
    },
  });
  const toEnd = ({ id, isMaintenance, text }: Announcement): Act => ({
    label: 'End it',
    words: `${isMaintenance ? 'Calls are accepted again, within two seconds' : 'Nobody sees it any longer'}: ${text}`,
    run: async ({ reason }) => {
      await end({ variables: { id, reason } });
      return readAgain(refetch);
    },
  });
  return (
    <SectionCard title="Announcements and maintenance" description="What everybody sees above each page.">
      <Stack gap="md">
        {announcements.length === 0 && <Text c="dimmed">No announcement, and calls are accepted.</Text>}
        {announcements.length > 0 && (
          <OpenAnnouncements
            announcements={announcements}
            onEnd={may('endAnnouncement') ? (one) => setAct(toEnd(one)) : null}
          />
        )}
        {may('announce') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toAnnounce({ isMaintenance: false }))}>
              Announce
            </Button>
            <Button size="xs" variant="default" onClick={() => setAct(toAnnounce({ isMaintenance: true }))}>
              Begin maintenance
            </Button>
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}

interface OpenAnnouncementsProps {
  announcements: readonly Announcement[];
  onEnd: ((announcement: Announcement) => void) | null;
}

function OpenAnnouncements({ announcements, onEnd }: OpenAnnouncementsProps) {
  return (
    <RecordTable
      label="Announcements"
      rows={announcements}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Text', card: 'title', breaksWords: true, cell: ({ text }) => text },
        { header: 'Calls', cell: ({ isMaintenance }) => (isMaintenance ? 'refused' : 'taken') },
        { header: 'From', cell: ({ startsAt }) => <Moment at={startsAt} /> },
        { header: 'Until', cell: ({ endsAt }) => (endsAt ? <Moment at={endsAt} /> : 'it is ended') },
        { header: 'By', breaksWords: true, cell: ({ createdBy }) => createdBy },
        {
          header: 'Actions',
          cell: (announcement) =>
            onEnd && (
              <Button
                size="xs"
                variant="default"
                aria-label={`End it: ${announcement.text}`}
                onClick={() => onEnd(announcement)}
              >
                End it
              </Button>
            ),
        },
      ]}
    />
  );
}

function Moment({ at }: { at: string }) {
  return <span className="unbroken">{formatAbsoluteTime(at)}</span>;
}

function toInput({ text = '', startsAt = '', endsAt = '' }: ActInput['values']) {
  const toInstant = (local: string) => (local === '' ? null : new Date(local).toISOString());
  return { text, startsAt: toInstant(startsAt), endsAt: toInstant(endsAt) };
}
