import { useQuery } from '@apollo/client/react';
import { Group } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { RetryButton } from '../../components/buttons/retry-button';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import { graphqlErrorCode, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { keepInvitation } from '../../lib/session/kept-invitation';
import { InvitationAnswer } from './invitation-answer';

const JoiningPersonDocument = graphql(`
  query JoiningPerson {
    person {
      id
      email
    }
  }
`);

/** Where the link of an invitation leads: first to an account, if there is none, then to the answer. */
export function JoinPage() {
  const { hash } = useLocation();
  const [token] = useState(() => keepInvitation(hash));
  const { data, error, refetch } = useQuery(JoiningPersonDocument);
  if (token === '') {
    return (
      <FullPageMessage
        title="This invitation link does not work"
        action={<LinkButton to={paths.overview()}>To Tollgate</LinkButton>}
      >
        The link is incomplete. Open it from the e-mail, or ask for another invitation.
      </FullPageMessage>
    );
  }
  if (data?.person) return <InvitationAnswer token={token} email={data.person.email} />;
  const isNobody = data?.person === null || graphqlErrorCode(error) === 'UNAUTHENTICATED';
  if (error && !isNobody) {
    return (
      <FullPageMessage title="The invitation could not be loaded" action={<RetryButton onRetry={refetch} />}>
        {graphqlErrorMessage(error)}
      </FullPageMessage>
    );
  }
  return (
    <FullPageMessage
      title="You are invited"
      action={
        <Group gap="sm">
          <LinkButton to={paths.signUp(paths.join())}>Create an account</LinkButton>
          <LinkButton to={paths.signIn(paths.join())} variant="default">
            Sign in
          </LinkButton>
        </Group>
      }
    >
      Sign in with the address that received the invitation, or create an account with it.
    </FullPageMessage>
  );
}
