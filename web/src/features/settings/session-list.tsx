import { useMutation, useQuery } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import { type RecordColumn, RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { SessionsQuery } from '../../gql/graphql';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { browserName } from '../../lib/session/browser-name';
import { useLeaveSession } from '../../lib/session/use-leave-session';

const SessionsDocument = graphql(`
  query Sessions {
    sessions {
      id
      createdAt
      lastUsedAt
      userAgent
      isCurrent
    }
  }
`);

const EndSessionDocument = graphql(`
  mutation EndSession($id: ID!) {
    endSession(id: $id)
  }
`);

const SignOutEverywhereDocument = graphql(`
  mutation SignOutEverywhere {
    signOutEverywhere
  }
`);

type Session = SessionsQuery['sessions'][number];

/** Where the account is signed in, and how to end that. */
export function SessionList() {
  const { data, error, refetch } = useQuery(SessionsDocument);
  const leaveSession = useLeaveSession();
  const tellFailure = useTellFailure();
  const [endSession] = useMutation(EndSessionDocument, { refetchQueries: ['Sessions'], awaitRefetchQueries: true });
  const [signOutEverywhere, { loading }] = useMutation(SignOutEverywhereDocument);

  async function end(session: Session) {
    try {
      await endSession({ variables: { id: session.id } });
      notifications.show({ title: 'Session ended', message: `${browserName(session.userAgent)} is signed out.` });
    } catch (failure) {
      tellFailure(failure, { refused: 'The session was not ended', whether: 'whether the session has ended' });
    }
  }

  return (
    <SectionCard
      title="Sessions"
      description="Where you are signed in. A session ends after 7 days without use."
      action={
        <BusyButton variant="default" size="xs" onClick={() => void leaveSession(signOutEverywhere)} isBusy={loading}>
          Sign out everywhere
        </BusyButton>
      }
    >
      {error && <ErrorPanel title="Your sessions could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={2} />}
      {data && (
        <RecordTable
          label="Sessions"
          columns={columns((session) => void end(session))}
          rows={data.sessions}
          keyOf={({ id }) => id}
        />
      )}
    </SectionCard>
  );
}

function columns(end: (session: Session) => void): readonly RecordColumn<Session>[] {
  return [
    {
      header: 'Where',
      card: 'title',
      cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{browserName(userAgent)}</span>,
    },
    { header: 'Signed in', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { header: 'Last used', cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
    {
      header: 'Actions',
      align: 'right',
      card: 'aside',
      cell: (session) =>
        session.isCurrent ? (
          <StatusBadge color="pine">This one</StatusBadge>
        ) : (
          <Button
            variant="default"
            size="xs"
            onClick={() => end(session)}
            aria-label={`End the session of ${browserName(session.userAgent)}`}
          >
            End
          </Button>
        ),
    },
  ];
}
