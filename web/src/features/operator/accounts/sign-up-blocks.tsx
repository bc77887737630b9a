import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { type Act, ActDialog } from '../act-dialog';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';

const SignUpBlocksDocument = graphql(`
  query OperatorSignUpBlocks {
    operator {
      signUpBlocks {
        value
        reason
        createdBy
        createdAt
      }
    }
  }
`);

const BlockDocument = graphql(`
  mutation OperatorBlockSignUps($input: OperatorSignUpBlockInput!) {
    operator {
      blockSignUps(input: $input) {
        value
      }
    }
  }
`);

const UnblockDocument = graphql(`
  mutation OperatorUnblockSignUps($input: OperatorSignUpBlockInput!) {
    operator {
      unblockSignUps(input: $input)
    }
  }
`);

/** Rows that say who may sign up at all, which the card above shows. */
const modes = ['everybody', 'uninvited'];
const valueField = {
  name: 'value',
  label: 'Network or domain',
  description: 'Such as 192.0.2.0/24, 2001:db8:1::/48, 192.0.2.7 or example.com.',
};

/** Networks and mail domains that nobody signs up from. */
export function SignUpBlocks({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(SignUpBlocksDocument);
  const [block] = useMutation(BlockDocument);
  const [unblock] = useMutation(UnblockDocument);
  const [act, setAct] = useState<Act | null>(null);
  const blocks = data?.operator.signUpBlocks.filter(({ value }) => !modes.includes(value)) ?? [];
  const toBlock: Act = {
    label: 'Block sign-ups',
    keptAs: 'sign-up block',
    words: 'Stops new sign-ups from there, on every server at once. Existing accounts are not affected.',
    fields: [valueField],
    run: async ({ reason, values }) => {
      await block({ variables: { input: { value: values.value ?? '', reason } } });
      return readAgain(refetch);
    },
  };
  const toUnblock = (value: string): Act => ({
    label: 'Unblock',
    words: `Accounts can be created from ${value} again.`,
    run: async ({ reason }) => {
      await unblock({ variables: { input: { value, reason } } });
      return readAgain(refetch);
    },
  });
  return (
    <SectionCard title="Blocked sign-ups" description="Networks and e-mail domains that cannot create accounts.">
      <Stack gap="md">
        {error && !data && <ErrorPanel title="The blocks could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={2} />}
        {data && blocks.length === 0 && <Text size="sm">None.</Text>}
        {blocks.length > 0 && (
          <RecordTable
            label="Blocked sign-ups"
            rows={blocks}
            keyOf={({ value }) => value}
            columns={[
              { header: 'Network or domain', card: 'title', cell: ({ value }) => <code>{value}</code> },
              { header: 'Reason', cell: ({ reason }) => reason },
              { header: 'By', cell: ({ createdBy }) => createdBy },
              { header: 'Since', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
              {
                header: 'Actions',
                cell: ({ value }) =>
                  may('unblockSignUps') && (
                    <Button size="xs" variant="default" onClick={() => setAct(toUnblock(value))}>
                      Unblock
                    </Button>
                  ),
              },
            ]}
          />
        )}
        {may('blockSignUps') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toBlock)}>
              Block sign-ups
            </Button>
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}
