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
      description="The server recomputes its books while it runs, those of all accounts together."
      action={<AuditBadge violations={audit.violations ?? null} />}
    >
      <dl className={classes.facts}>
        <div>
          <dt>Accounts that moved</dt>
          <dd>{audit.verifiedAt ? <RelativeTime at={audit.verifiedAt} /> : 'Not yet since the start'}</dd>
        </div>
        <div>
          <dt>Every account</dt>
          <dd>{audit.allVerifiedAt ? <RelativeTime at={audit.allVerifiedAt} /> : 'Not yet since the start'}</dd>
        </div>
        <div>
          <dt>Violations</dt>
          <dd>{audit.violations ?? 'Not known yet'}</dd>
        </div>
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        This is what the server process found that answered this page; with several, each verifies the accounts that it
        has served about every minute, and all accounts once a day. A balance that does not add up is frozen, and its
        owner told on the page “Credits”. What was verified is arithmetic: that each receipt, line and balance fits the
        others. It does not say whether a provider counted its tokens well.
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
