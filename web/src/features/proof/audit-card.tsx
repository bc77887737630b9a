import { Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { StatusBadge } from '../../components/status-badge';
import type { ProofQuery } from '../../gql/graphql';
import classes from './proof.module.css';

type Audit = ProofQuery['proof']['audit'];

/** When the server verified its books last, what it looked at, and what it found. */
export function AuditCard({ audit }: { audit: Audit }) {
  return (
    <SectionCard
      title="Last verified"
      description="The server continuously recomputes the books of all accounts."
      action={<AuditBadge violations={audit.violations ?? null} />}
    >
      <dl className={classes.facts}>
        <div>
          <dt>Accounts that moved</dt>
          <dd>{audit.verifiedAt ? <RelativeTime at={audit.verifiedAt} /> : 'Not since the server started'}</dd>
        </div>
        <div>
          <dt>Every account</dt>
          <dd>{audit.allVerifiedAt ? <RelativeTime at={audit.allVerifiedAt} /> : 'Not since the server started'}</dd>
        </div>
        <div>
          <dt>Violations</dt>
          <dd>{audit.violations ?? 'Not known yet'}</dd>
        </div>
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        This is the result of the server process that answered this page. Each process verifies the accounts it serves
        about every minute, and all accounts once a day. An account whose balance does not add up is frozen, and the
        page “Credits” tells its owner why. This verifies the arithmetic: that receipts, lines and balances agree. It
        cannot say whether a provider counted its tokens correctly.
      </Text>
      <details className={classes.checks}>
        <summary>What is checked ({audit.checks.length})</summary>
        <ul>
          {audit.checks.map((check) => (
            <li key={check}>{check}</li>
          ))}
        </ul>
      </details>
    </SectionCard>
  );
}

function AuditBadge({ violations }: { violations: number | null }) {
  if (violations === null) return <StatusBadge color="gray">Not verified yet</StatusBadge>;
  return violations === 0 ? (
    <StatusBadge color="pine">0 violations</StatusBadge>
  ) : (
    <StatusBadge color="red">{violations === 1 ? '1 violation' : `${violations} violations`}</StatusBadge>
  );
}
