import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import type { FreezeReason } from '../../gql/graphql';
import { formatCredits } from '../../lib/format/format-credits';
import { useStanding } from '../../lib/session/use-standing';

const freezeWords: Record<FreezeReason, string> = {
  DISPUTE: 'One of your payments is disputed with your bank. Calls work again once the dispute is closed.',
  AUDIT: 'Your balance did not add up when we checked it. We were alerted and are looking into it.',
  OPERATOR: 'The operator of this server froze it. Please contact them.',
};

// What can be done about it, or looked at meanwhile.
const wayOut: Record<FreezeReason, ReactNode> = {
  DISPUTE: (
    <>
      If the payment was yours, ask your bank to withdraw the dispute;{' '}
      <Anchor component={Link} to={paths.credits()} inherit underline="always">
        your purchases
      </Anchor>{' '}
      show which one it is.
    </>
  ),
  AUDIT: (
    <>
      You do not have to do anything;{' '}
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
          <Text>Until then, new calls are refused and no credits are sold. Running calls finish as usual.</Text>
        </Alert>
      )}
      {viewer.debt > 0 && (
        <Alert color="amber" title={`You owe ${formatCredits(viewer.debt)} credits`} mb="lg">
          A purchase was refunded or disputed after its credits were spent. Your next purchase repays them first. Until
          then, calls are refused.
        </Alert>
      )}
    </>
  );
}
