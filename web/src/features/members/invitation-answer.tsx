import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { paths } from '../../app/paths';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import { tellOfSwitch } from '../../lib/session/account-switch';
import { forgetInvitation } from '../../lib/session/kept-invitation';
import { roleSentences, roleWords } from '../../lib/session/roles';

const InvitationOfferDocument = graphql(`
  query InvitationOffer($token: String!) {
    invitationOffer(token: $token) {
      accountName
      role
      invitedBy
    }
  }
`);

const AcceptInvitationDocument = graphql(`
  mutation AcceptInvitation($token: String!) {
    acceptInvitation(token: $token)
  }
`);

const DeclineInvitationDocument = graphql(`
  mutation DeclineInvitation($token: String!) {
    declineInvitation(token: $token)
  }
`);

const SwitchToJoinedDocument = graphql(`
  mutation SwitchToJoined($accountId: ID!) {
    switchAccount(accountId: $accountId)
  }
`);

/** What an invitation offers to whoever is signed in, and their answer. */
export function InvitationAnswer({ token }: { token: string }) {
  const { data, error } = useQuery(InvitationOfferDocument, { variables: { token }, fetchPolicy: 'no-cache' });
  const [accept, { loading: isAccepting }] = useMutation(AcceptInvitationDocument);
  const [decline, { loading: isDeclining }] = useMutation(DeclineInvitationDocument);
  const [switchAccount] = useMutation(SwitchToJoinedDocument);
  const [fault, setFault] = useState<unknown>(null);

  async function answer(work: () => Promise<unknown>) {
    setFault(null);
    try {
      await work();
      forgetInvitation();
      // A whole new page: nothing of another account stays in memory.
      window.location.assign(paths.overview());
    } catch (failure) {
      setFault(failure);
    }
  }

  async function join() {
    const { data: joined } = await accept({ variables: { token } });
    const accountId = joined?.acceptInvitation ?? '';
    await switchAccount({ variables: { accountId } });
    tellOfSwitch(accountId);
  }

  const refusal = error ?? fault;
  if (refusal) {
    return (
      <FullPageMessage
        title="You have not joined"
        action={<LinkButton to={paths.overview()}>To your account</LinkButton>}
      >
        {graphqlErrorMessage(refusal)}
      </FullPageMessage>
    );
  }
  const offer = data?.invitationOffer;
  if (!offer) return null;
  return (
    <FullPageMessage
      title={`Join ${offer.accountName}?`}
      action={
        <Group gap="sm">
          <Button loading={isAccepting} onClick={() => void answer(join)}>
            Join
          </Button>
          <Button
            variant="default"
            loading={isDeclining}
            onClick={() => void answer(() => decline({ variables: { token } }))}
          >
            Decline
          </Button>
        </Group>
      }
    >
      {offer.invitedBy ?? 'Somebody'} invites you as {roleWords[offer.role]}. {roleSentences[offer.role]} Your own
      account stays as it is.
    </FullPageMessage>
  );
}
