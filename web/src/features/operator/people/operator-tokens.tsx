import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorRole } from '../../../gql/graphql';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { type Act, ActDialog, type ActField } from '../act-dialog';
import { showOnce } from '../act-words';
import { readAgain } from '../read-again';

const OperatorTokensDocument = graphql(`
  query OperatorTokens {
    operator {
      me {
        id
        role
      }
      tokens {
        id
        name
        role
        ending
        operatorName
        expiresAt
        lastUsedAt
      }
    }
  }
`);

const CreateTokenDocument = graphql(`
  mutation OperatorCreateToken($input: OperatorTokenInput!) {
    operator {
      createToken(input: $input)
    }
  }
`);

const RevokeTokenDocument = graphql(`
  mutation OperatorRevokeToken($id: ID!, $reason: String!) {
    operator {
      revokeToken(id: $id, reason: $reason)
    }
  }
`);

const fields: readonly ActField[] = [
  { name: 'name', label: 'Name', description: 'Shown in the log beside your own name.' },
  { name: 'days', label: 'Days', description: 'Days until it expires: 1 to 365.', isNumber: true, initial: '90' },
  { name: 'readsOnly', label: 'Read-only', isTick: true },
];

/** Tokens for scripts: an owner sees everybody's, others their own. */
export function OperatorTokens() {
  const { data, error, refetch } = useQuery(OperatorTokensDocument);
  const [create] = useMutation(CreateTokenDocument);
  const [revoke] = useMutation(RevokeTokenDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toCreate = (own: OperatorRole): Act => ({
    label: 'New token',
    keptAs: 'token',
    words:
      'For a script, sent as a bearer token to GraphQL. It is shown once, has the rights of your role, and needs no code.',
    fields,
    run: async ({ reason, values }) => {
      const role = values.readsOnly === 'yes' ? 'READ_ONLY' : own;
      const input = { name: values.name ?? '', role, days: Number(values.days), reason };
      const made = await create({ variables: { input } });
      await readAgain(refetch);
      return showOnce(made.data?.operator.createToken);
    },
  });
  const toRevoke = (id: string, name: string): Act => ({
    label: 'Revoke',
    words: `The token ${name} stops working at once.`,
    isDangerous: true,
    run: async ({ reason }) => {
      await revoke({ variables: { id, reason } });
      return readAgain(refetch);
    },
  });
  const own = data?.operator.me?.role;
  return (
    <SectionCard
      title="Tokens"
      description="For scripts, through GraphQL. They cannot let people in or do what needs a second person."
    >
      <Stack gap="sm">
        {own && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toCreate(own))}>
              New token
            </Button>
          </Group>
        )}
        {error && !data && <ErrorPanel title="Tokens could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={2} />}
        {data && data.operator.tokens.length > 0 && (
          <RecordTable
            label="Tokens"
            rows={data.operator.tokens}
            keyOf={({ id }) => id}
            columns={[
              { header: 'Name', card: 'title', cell: ({ name }) => name },
              { header: 'Ends in', cell: ({ ending }) => `…${ending}` },
              { header: 'Role', cell: ({ role }) => role.toLowerCase().replace('_', '-') },
              { header: 'Of', cell: ({ operatorName }) => operatorName },
              { header: 'Good until', cell: ({ expiresAt }) => formatAbsoluteTime(expiresAt) },
              {
                header: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'never'),
              },
              {
                header: 'Actions',
                cell: ({ id, name }) => (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Revoke ${name}`}
                    onClick={() => setAct(toRevoke(id, name))}
                  >
                    Revoke
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}
