import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { RetryButton } from '../../components/buttons/retry-button';
import { FullPageMessage } from '../../components/full-page-message';
import { SignedInAs } from '../../components/signed-in-as';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureWords } from '../../lib/forms/lost-answers';
import { graphqlErrorCode, graphqlErrorMessage, isRefusal } from '../../lib/graphql-error-message';
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

const whenFailed = {
  offer: {
    refused: 'This invitation cannot be answered',
    whether: 'what you are invited to',
  },
  join: {
    refused: 'You have not joined',
    whether: 'whether you have joined',
    remedy: 'Go to your account: if you have joined, the account menu lists the other account too.',
  },
  // One has joined by then, whatever becomes of this.
  switch: {
    refused: 'You have joined, but still see your own account',
    whether: 'which account is shown, but you have joined',
    remedy: 'Go to your account: the account menu says which one it is.',
  },
  decline: {
    refused: 'The invitation is not declined',
    whether: 'whether the invitation is declined',
    remedy: 'Open its link again. If it is refused then, it is declined.',
  },
};

interface Failure {
  readonly of: keyof typeof whenFailed;
  readonly error: unknown;
}

interface InvitationAnswerProps {
  token: string;
  /** Of whoever is signed in. */
  email: string;
}

/** What an invitation offers to whoever is signed in, and their answer. */
export function InvitationAnswer({ token, email }: InvitationAnswerProps) {
  const { data, error, refetch } = useQuery(InvitationOfferDocument, { variables: { token }, fetchPolicy: 'no-cache' });
  const [accept, { loading: isAccepting }] = useMutation(AcceptInvitationDocument);
  const [decline, { loading: isDeclining }] = useMutation(DeclineInvitationDocument);
  const [switchAccount] = useMutation(SwitchToJoinedDocument);
  const [failure, setFailure] = useState<Failure | null>(null);

  /** Answers what the work gave, or null once its failure is shown. */
  function orShow<Result>(of: Failure['of'], work: Promise<Result>): Promise<Result | null> {
    return work.catch((fault: unknown) => {
      setFailure({ of, error: fault });
      return null;
    });
  }

  async function join() {
    const joined = await orShow('join', accept({ variables: { token } }));
    const accountId = joined?.data?.acceptInvitation;
    if (accountId === undefined) return;
    forgetInvitation();
    const switched = await orShow('switch', switchAccount({ variables: { accountId } }));
    // Other pages look for themselves, also where it is not known.
    tellOfSwitch(accountId);
    if (switched !== null) showOverview();
  }

  async function refuse() {
    if ((await orShow('decline', decline({ variables: { token } }))) === null) return;
    forgetInvitation();
    showOverview();
  }

  if (error && !isRefusal(error)) {
    return (
      <FullPageMessage title="The invitation could not be loaded" action={<RetryButton onRetry={refetch} />}>
        {graphqlErrorMessage(error)}
      </FullPageMessage>
    );
  }
  const failed: Failure | null = error ? { of: 'offer', error } : failure;
  if (failed) return <Failed failure={failed} email={email} />;
  const offer = data?.invitationOffer;
  if (!offer) return null;
  return (
    <FullPageMessage
      title={`Join ${nameInSentence(offer.accountName)}?`}
      action={
        <Group gap="sm">
          <LoadingButton loading={isAccepting} onClick={() => void join()}>
            Join
          </LoadingButton>
          <LoadingButton variant="default" loading={isDeclining} onClick={() => void refuse()}>
            Decline
          </LoadingButton>
        </Group>
      }
    >
      {offer.invitedBy ?? 'Somebody'} invited you as {roleWords[offer.role]}. {roleSentences[offer.role]} Your own
      account stays as it is.
    </FullPageMessage>
  );
}

function Failed({ failure: { of, error }, email }: { failure: Failure; email: string }) {
  const code = graphqlErrorCode(error);
  // A second tab, or a page that was loaded again after a lost answer.
  const hasJoined = code === 'CONFLICT' && of !== 'switch';
  const { title, message } = failureWords(error, {
    ...whenFailed[of],
    ...(hasJoined && { refused: 'You are a member already' }),
  });
  // The token stays in this tab: whoever signs in with the right address answers.
  const action =
    code === 'FORBIDDEN' && of !== 'switch' ? (
      <SignedInAs email={email} to={paths.join()} label="Sign out and use another account" />
    ) : (
      <Button onClick={showOverview}>Go to your account</Button>
    );
  return (
    <FullPageMessage title={title} action={action}>
      {message} {hasJoined && 'The account menu lists it.'}
    </FullPageMessage>
  );
}

/** A whole new page: nothing of another account stays in memory, and the menu lists what was joined. */
function showOverview() {
  window.location.assign(paths.overview());
}
