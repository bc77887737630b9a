import { useMutation, useQuery } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ErrorPanel } from '../../components/error-panel';
import { LinkByOperator } from '../../components/link-by-operator';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { InvitationsQuery } from '../../gql/graphql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { roleWords } from '../../lib/session/roles';

const InvitationsDocument = graphql(`
  query Invitations {
    invitations {
      id
      email
      role
      createdAt
      expiresAt
    }
  }
`);

const RevokeInvitationDocument = graphql(`
  mutation RevokeInvitation($id: ID!) {
    revokeInvitation(id: $id)
  }
`);

type Invitation = InvitationsQuery['invitations'][number];

/** Who was invited and has not answered yet; nothing where nobody is. */
export function InvitationList({ isMailSent }: { isMailSent: boolean }) {
  const { data, error, refetch } = useQuery(InvitationsDocument);
  const tellFailure = useTellFailure();
  const [revokeInvitation] = useMutation(RevokeInvitationDocument, { refetchQueries: ['Invitations'] });

  async function revoke({ id, email }: Invitation) {
    try {
      await revokeInvitation({ variables: { id } });
      notifications.show({ title: 'Invitation revoked', message: `The link to ${email} no longer works.` });
    } catch (failure) {
      tellFailure(failure, {
        refused: 'The invitation was not revoked',
        whether: 'whether the invitation was revoked',
      });
    }
  }

  if (error && !data) return <ErrorPanel title="The invitations could not be loaded" error={error} onRetry={refetch} />;
  if (!data || data.invitations.length === 0) return null;
  return (
    <SectionCard
      title="Invited"
      description={isMailSent ? undefined : <LinkByOperator command="invitation-link" email="<e-mail>" />}
    >
      <RecordTable
        label="Invited"
        columns={columnsOf((invitation) => void revoke(invitation))}
        rows={data.invitations}
        keyOf={({ id }) => id}
      />
    </SectionCard>
  );
}

function columnsOf(revoke: (invitation: Invitation) => void): RecordColumn<Invitation>[] {
  return [
    { header: 'E-mail', card: 'title', breaksWords: true, cell: ({ email }) => email },
    { header: 'Role', cell: ({ role }) => roleWords[role] },
    { header: 'Invited', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { header: 'Expires', cell: ({ expiresAt }) => formatAbsoluteTime(expiresAt) },
    {
      header: 'Actions',
      align: 'right',
      card: 'aside',
      cell: (invitation) => (
        <Button
          variant="default"
          size="xs"
          onClick={() => revoke(invitation)}
          aria-label={`Revoke the invitation of ${invitation.email}`}
        >
          Revoke
        </Button>
      ),
    },
  ];
}
