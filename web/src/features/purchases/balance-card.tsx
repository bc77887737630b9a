import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import type { CSSProperties } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { graphql } from '../../gql';
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

/** The balance in one line: to spend, and reserved by running calls. */
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
  return <BalanceFigures {...balance} />;
}

function BalanceFigures(balance: { available: number; held: number }) {
  const amount = formatCredits(balance.available);
  return (
    <dl className={classes.root}>
      <div>
        <dt>Balance</dt>
        <dd className={classes.main} style={{ '--characters': amount.length } as CSSProperties}>
          <span>{amount}</span> <small>credits</small>
        </dd>
      </div>
      <div>
        <dt>Reserved by running calls</dt>
        <dd>{formatCredits(balance.held)}</dd>
      </div>
      <div>
        <dt>Worth</dt>
        <dd>{formatCreditsAsDollars(balance.available)}</dd>
      </div>
    </dl>
  );
}
