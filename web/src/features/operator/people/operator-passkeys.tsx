import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { graphqlErrorReason } from '../../../lib/graphql-error-message';
import { browserName } from '../../../lib/session/browser-name';
import { canUsePasskeys, makePasskey } from '../../../lib/session/passkeys';
import { nameFault } from '../../../lib/session/validate-credentials';
import { type Act, ActDialog } from '../act-dialog';
import { readAgain } from '../read-again';

const OperatorPasskeysDocument = graphql(`
  query OperatorPasskeys {
    operator {
      passkeys {
        id
        name
        createdAt
        lastUsedAt
      }
    }
  }
`);

const StartDocument = graphql(`
  mutation OperatorStartPasskey {
    operator {
      startPasskey
    }
  }
`);

const AddDocument = graphql(`
  mutation OperatorAddPasskey($input: OperatorPasskeyInput!) {
    operator {
      addPasskey(input: $input) {
        id
      }
    }
  }
`);

const RemoveDocument = graphql(`
  mutation OperatorRemovePasskey($id: ID!) {
    operator {
      removePasskey(id: $id)
    }
  }
`);

/** The operator's own passkeys, which sign in without password and code, and stand for a code. */
export function OperatorPasskeys() {
  const { data, error, refetch } = useQuery(OperatorPasskeysDocument);
  const [start] = useMutation(StartDocument);
  const [add] = useMutation(AddDocument);
  const [remove] = useMutation(RemoveDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toAdd = (): Act => ({
    label: 'Add a passkey',
    words: 'Your device asks for a PIN, fingerprint or face. The passkey signs you in here without a password or code.',
    hasNoReason: true,
    // The server would refuse it once the device has made the passkey.
    fields: [{ name: 'name', label: 'Name', initial: browserName(navigator.userAgent), findFault: nameFault }],
    run: async ({ values }) => {
      const begun = (await start()).data?.operator.startPasskey ?? '';
      const response = await makePasskey(begun);
      await add({ variables: { input: { name: values.name ?? '', response } } });
      return readAgain(refetch);
    },
  });
  const toRemove = (id: string, name: string): Act => ({
    label: 'Remove',
    words: `The passkey ${name} stops working at once.`,
    isDangerous: true,
    hasNoReason: true,
    run: async () => {
      await remove({ variables: { id } }).catch((fault) => {
        // Removed in another window: then there is nothing left to do.
        if (graphqlErrorReason(fault) !== 'not_found') throw fault;
      });
      return readAgain(refetch);
    },
  });
  return (
    <SectionCard
      title="Your passkeys"
      description="Each signs you in without a password or code, and replaces a code where one is asked for."
    >
      <Stack gap="sm">
        {canUsePasskeys() && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toAdd())}>
              Add a passkey
            </Button>
          </Group>
        )}
        {error && !data && <ErrorPanel title="Passkeys could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={2} />}
        {data && data.operator.passkeys.length > 0 && (
          <RecordTable
            label="Your passkeys"
            rows={data.operator.passkeys}
            keyOf={({ id }) => id}
            columns={[
              { header: 'Name', card: 'title', cell: ({ name }) => name },
              { header: 'Added', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
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
                    aria-label={`Remove ${name}`}
                    onClick={() => setAct(toRemove(id, name))}
                  >
                    Remove
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
