import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import type { FreezeReason } from '../../gql/graphql';
import { formatCredits } from '../../lib/format/format-credits';
import { useStanding } from '../../lib/session/use-standing';

const freezeWords: Record<FreezeReason, string> = {
  DISPUTE: 'Your bank disputes one of your payments to us. Calls are possible again as soon as that is over.',
  AUDIT: 'Your balance did not add up when we checked it. We have been told and look into it.',
  OPERATOR: 'The operator of this server has stopped it. Please ask them.',
};

// What can be done about it, or looked at meanwhile.
const wayOut: Record<FreezeReason, ReactNode> = {
  DISPUTE: (
    <>
      If the payment was yours, ask your bank to withdraw the dispute;{' '}
      <Anchor component={Link} to={paths.credits()} inherit underline="always">
        your purchases
      </Anchor>{' '}
      tell which it is.
    </>
  ),
  AUDIT: (
    <>
      Nothing is to be done by you;{' '}
      <Anchor component={Link} to={paths.proof()} inherit underline="always">
        the proof
      </Anchor>{' '}
      shows where your credits are.
    </>
  ),
  OPERATOR: null,
};

/** Why the account can make no calls, above whatever page is shown; nothing when it can. */
export function AccountTrouble() {
  const viewer = useStanding();
  if (!viewer) return null;
  return (
    <>
      {viewer.isFrozen && (
        <Alert color="red" title="This account is frozen" mb="lg">
          {viewer.frozenFor.map((reason) => (
            <Text key={reason}>
              {freezeWords[reason]} {wayOut[reason]}
            </Text>
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
