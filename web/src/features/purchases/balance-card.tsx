import { useQuery } from '@apollo/client/react';
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { graphql } from '../../gql';
import type { FreezeReason } from '../../gql/graphql';
import { formatCredits, formatCreditsAsDollars } from '../../lib/format/format-credits';
import classes from './balance-card.module.css';

const BalanceDocument = graphql(`
  query Balance {
    viewer {
      id
      debt
      isFrozen
      frozenFor
      balance {
        available
        held
      }
    }
  }
`);

/** The balance in one line: to spend, and held apart by running calls. */
export function BalanceCard() {
  const { data, error, refetch } = useQuery(BalanceDocument);
  const balance = data?.viewer?.balance;
  if (!data?.viewer || !balance) {
    return error ? (
      <ErrorPanel title="Your balance could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <Skeleton height={96} radius="lg" />
    );
  }
  return (
    <Stack gap="md">
      <AccountTrouble {...data.viewer} />
      <BalanceFigures {...balance} />
    </Stack>
  );
}

const freezeWords: Record<FreezeReason, string> = {
  DISPUTE: 'Your bank disputes one of your payments to us. Calls are possible again as soon as that is over.',
  AUDIT: 'Your balance did not add up when we checked it. We have been told and look into it.',
  OPERATOR: 'The operator of this server has stopped it. Please ask them.',
};

/** Why no calls can be made; nothing when they can. */
function AccountTrouble({ debt, isFrozen, frozenFor }: { debt: number; isFrozen: boolean; frozenFor: FreezeReason[] }) {
  return (
    <>
      {isFrozen && (
        <Alert color="red" title="This account is frozen">
          {frozenFor.map((reason) => (
            <Text key={reason}>{freezeWords[reason]}</Text>
          ))}
        </Alert>
      )}
      {debt > 0 && (
        <Alert color="amber" title={`You owe ${formatCredits(debt)} credits`}>
          A purchase was refunded or disputed after its credits were spent. Your next purchase repays them first; until
          then calls are refused.
        </Alert>
      )}
    </>
  );
}

function BalanceFigures(balance: { available: number; held: number }) {
  return (
    <dl className={classes.root}>
      <div>
        <dt>To spend</dt>
        <dd className={classes.main}>
          {formatCredits(balance.available)} <small>credits</small>
        </dd>
      </div>
      <div>
        <dt>Held by running calls</dt>
        <dd>{formatCredits(balance.held)}</dd>
      </div>
      <div>
        <dt>Worth</dt>
        <dd>{formatCreditsAsDollars(balance.available)}</dd>
      </div>
    </dl>
  );
}
