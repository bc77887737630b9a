import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorRole } from '../../../gql/graphql';
import { type Act, ActDialog } from '../act-dialog';
import { showOnce } from '../act-words';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { OperatorPasskeys } from './operator-passkeys';
import { OperatorTokens } from './operator-tokens';

const OperatorPeopleDocument = graphql(`
  query OperatorPeople {
    operator {
      people {
        id
        email
        name
        role
        createdAt
        disabledAt
      }
    }
  }
`);

const InviteDocument = graphql(`
  mutation OperatorInvite($role: OperatorRole!, $reason: String!) {
    operator {
      invite(role: $role, reason: $reason)
    }
  }
`);

const RenewDocument = graphql(`
  mutation OperatorRenew($id: ID!, $reason: String!) {
    operator {
      renew(id: $id, reason: $reason)
    }
  }
`);

const DisableDocument = graphql(`
  mutation OperatorDisable($id: ID!, $reason: String!) {
    operator {
      disable(id: $id, reason: $reason)
    }
  }
`);

const roles: readonly (readonly [OperatorRole, string])[] = [
  ['OWNER', 'Invite an owner'],
  ['SUPPORT', 'Invite support'],
  ['FINANCE', 'Invite finance'],
  ['READ_ONLY', 'Invite a reader'],
];
const onceWords = 'A link for one person: shown once, good for 24 hours and one use.';

/** Who works here; owners invite and disable. */
export function PeoplePage({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorPeopleDocument);
  const [invite] = useMutation(InviteDocument);
  const [renew] = useMutation(RenewDocument);
  const [disable] = useMutation(DisableDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toInvite = (role: OperatorRole, label: string): Act => ({
    label,
    words: onceWords,
    run: async ({ reason }) => showOnce((await invite({ variables: { role, reason } })).data?.operator.invite),
  });
  const toRenew = (id: string): Act => ({
    label: 'New password and app',
    words: onceWords,
    run: async ({ reason }) => showOnce((await renew({ variables: { id, reason } })).data?.operator.renew),
  });
  const toDisable = (id: string, name: string): Act => ({
    label: 'Disable',
    words: `${name} loses all access at once.`,
    isDangerous: true,
    run: async ({ reason }) => {
      await disable({ variables: { id, reason } });
      return readAgain(refetch);
    },
  });
  return (
    <>
      <PageHeader
        title="Operators"
        description="Who can sign in here. Each needs a password and an authenticator app, or a passkey."
        actions={
          may('invite') && (
            <Group gap="xs">
              {roles.map(([role, label]) => (
                <Button key={role} size="xs" variant="default" onClick={() => setAct(toInvite(role, label))}>
                  {label}
                </Button>
              ))}
            </Group>
          )
        }
      />
      {error && !data && <ErrorPanel title="Operators could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton />}
      {data && (
        <SectionCard title="People">
          <RecordTable
            label="Operators"
            rows={data.operator.people}
            keyOf={({ id }) => id}
            columns={[
              { header: 'Name', card: 'title', cell: ({ name }) => name },
              { header: 'E-mail', cell: ({ email }) => email },
              { header: 'Role', cell: ({ role }) => role.toLowerCase().replace('_', '-') },
              { header: 'Since', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
              { header: 'State', cell: ({ disabledAt }) => (disabledAt ? 'disabled' : 'active') },
              {
                header: 'Actions',
                cell: ({ id, name, disabledAt }) =>
                  may('disable') && !disabledAt ? (
                    <Group gap="xs">
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`New link for ${name}`}
                        onClick={() => setAct(toRenew(id))}
                      >
                        New link
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Disable ${name}`}
                        onClick={() => setAct(toDisable(id, name))}
                      >
                        Disable
                      </Button>
                    </Group>
                  ) : null,
              },
            ]}
          />
        </SectionCard>
      )}
      <Stack gap="lg" mt="lg">
        <OperatorPasskeys />
        <OperatorTokens />
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}
