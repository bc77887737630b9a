import { useQuery } from '@apollo/client/react';
import { Alert, Skeleton, Stack } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { graphql } from '../../gql';
import { AuditCard } from './audit-card';
import { EquationCard } from './equation-card';
import classes from './proof.module.css';

const ProofDocument = graphql(`
  query Proof {
    viewer {
      id
      name
      email
    }
    proof {
      at
      credits {
        bought
        given
        returned
        corrections
        takenBack
      }
      creditsIn
      used
      calls
      reserved
      left
      difference
      audit {
        verifiedAt
        allVerifiedAt
        violations
        checks
      }
    }
  }
`);

/** Where all credits of the account are, and when the books were verified last. */
export function ProofPage() {
  const { data, error, refetch } = useQuery(ProofDocument);
  if (!data) {
    return error ? (
      <ErrorPanel title="The proof could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <Stack gap="lg">
        <Skeleton className={classes.equationPlace} radius="lg" />
        <Skeleton className={classes.auditPlace} radius="lg" />
      </Stack>
    );
  }
  const { proof, viewer } = data;
  return (
    <Stack gap="lg">
      {proof.difference !== 0 && (
        <Alert color="red" title="These books do not add up">
          Credits in do not equal used + reserved + left. Please contact the operator of this server.
        </Alert>
      )}
      <EquationCard proof={proof} account={viewer === null || viewer === undefined ? null : viewer.email} />
      <AuditCard audit={proof.audit} />
    </Stack>
  );
}
