import { useQuery } from '@apollo/client/react';
import { Alert, Text } from '@mantine/core';
import { graphql } from '../../gql';
import type { FreezeReason } from '../../gql/graphql';
import { formatCredits } from '../../lib/format/format-credits';

const AccountTroubleDocument = graphql(`
  query AccountTrouble {
    viewer {
      id
      debt
      isFrozen
      frozenFor
    }
  }
`);

const pollMs = 60_000;

const freezeWords: Record<FreezeReason, string> = {
  DISPUTE: 'Your bank disputes one of your payments to us. Calls are possible again as soon as that is over.',
  AUDIT: 'Your balance did not add up when we checked it. We have been told and look into it.',
  OPERATOR: 'The operator of this server has stopped it. Please ask them.',
};

/** Why the account can make no calls, above whatever page is shown; nothing when it can. */
export function AccountTrouble() {
  const { data } = useQuery(AccountTroubleDocument, {
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  const viewer = data?.viewer;
  if (!viewer) return null;
  return (
    <>
      {viewer.isFrozen && (
        <Alert color="red" title="This account is frozen" mb="lg">
          {viewer.frozenFor.map((reason) => (
            <Text key={reason}>{freezeWords[reason]}</Text>
          ))}
          <Text>New calls are refused meanwhile, and no credits are sold; calls that run end as usual.</Text>
        </Alert>
      )}
      {viewer.debt > 0 && (
        <Alert color="amber" title={`You owe ${formatCredits(viewer.debt)} credits`} mb="lg">
          A purchase was refunded or disputed after its credits were spent. Your next purchase repays them first; until
          then calls are refused.
        </Alert>
      )}
    </>
  );
}
