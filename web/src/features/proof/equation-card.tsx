import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import type { ProofQuery } from '../../gql/graphql';
import { formatCreditsAligned, groupThousands } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatUtcTime } from '../../lib/format/format-time';
import classes from './proof.module.css';

interface EquationCardProps {
  proof: ProofQuery['proof'];
  /** Whose books they are; null: not known. */
  account: string | null;
}

/** Credits in on the one side; used, reserved and left on the other; and the difference. */
export function EquationCard({ proof, account }: EquationCardProps) {
  const { credits } = proof;
  const sources = [
    ['Bought', credits.bought],
    ['Given', credits.given],
    ['Given back after refunds and disputes', credits.returned],
    ['Corrections', credits.corrections],
    ['Taken back by refunds and disputes', -credits.takenBack],
  ] as const;
  return (
    <SectionCard
      title="Where your credits are"
      description={
        <>
          To the millicredit, read at one moment: {formatAbsoluteTime(proof.at)} ({formatUtcTime(proof.at)}).
          {account !== null && ` Account of ${account}.`}
        </>
      }
      action={
        <StatusBadge color={proof.difference === 0 ? 'pine' : 'red'}>
          {proof.difference === 0 ? 'Adds up' : 'Does not add up'}
        </StatusBadge>
      }
    >
      <table className={classes.equation} aria-label="Proof">
        <tbody>
          {sources
            .filter(([name, amount]) => amount !== 0 || name === 'Bought')
            .map(([name, amount]) => (
              <Line key={name} name={name} amount={amount} />
            ))}
          <Line name="Credits in" amount={proof.creditsIn} isTotal note="from the lines of the statement" />
          <Line name="Used" amount={proof.used} note={`by the receipts of ${callsInWords(proof.calls)}`} />
          <Line name="Reserved" amount={proof.reserved} note="by running calls" />
          <Line name="Left" amount={proof.left} note="in the wallet" />
          <Line name="Difference" amount={proof.difference} isTotal note="credits in − used − reserved − left" />
        </tbody>
      </table>
      <Text size="sm" c="dimmed" mt="md">
        The figures come from three separate tables: journal lines, receipts and the wallet. Compare them with the
        statement below, the{' '}
        <Anchor component={Link} to={paths.requests()} inherit underline="always">
          receipts
        </Anchor>{' '}
        and their CSV files.
      </Text>
    </SectionCard>
  );
}

function callsInWords(count: number): string {
  return `${groupThousands(count)} ${count === 1 ? 'call' : 'calls'}`;
}

interface LineProps {
  name: string;
  amount: number;
  note?: string;
  isTotal?: boolean;
}

function Line({ name, amount, note, isTotal = false }: LineProps) {
  return (
    <tr className={isTotal ? classes.total : undefined}>
      <th scope="row">
        {name} {note !== undefined && <span className={classes.note}>{note}</span>}
      </th>
      <td>{formatCreditsAligned(amount)}</td>
    </tr>
  );
}
