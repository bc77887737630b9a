import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Text } from '@mantine/core';
import { ErrorPanel } from '../../../components/error-panel';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { groupThousands } from '../../../lib/format/format-credits';
import type { Act, ActField, ActInput } from '../act-dialog';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';

const PriceGroupsDocument = graphql(`
  query OperatorPriceGroups {
    operator {
      priceGroups {
        name
        multiplier
        accountCount
      }
    }
  }
`);

const CreateDocument = graphql(`
  mutation OperatorCreatePriceGroup($input: OperatorPriceGroupInput!) {
    operator {
      createPriceGroup(input: $input)
    }
  }
`);

const SetDocument = graphql(`
  mutation OperatorSetPriceGroup($input: OperatorPriceGroupInput!) {
    operator {
      setPriceGroup(input: $input)
    }
  }
`);

const nameField: ActField = { name: 'name', label: 'Name' };
const multiplierField: ActField = {
  name: 'multiplier',
  isNumber: true,
  label: 'Per mille of the list price',
  description: '800 is 20 % off, 1250 is 25 % more. Each call is rounded up once, to a whole millicredit.',
};

interface PriceGroupsProps {
  may: May;
  onAct: (act: Act) => void;
}

/** Groups of accounts that pay a part, or a multiple, of the list price. An account is put into one on its own page. */
export function PriceGroups({ may, onAct }: PriceGroupsProps) {
  const { data, error, refetch } = useQuery(PriceGroupsDocument);
  const { toCreate, toSet } = usePriceGroupActs(refetch);
  const groups = data?.operator.priceGroups;
  return (
    <SectionCard title="Price groups" description="Accounts that pay a share or a multiple of the list price.">
      {error && !data && <ErrorPanel title="Price groups could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={2} />}
      {groups?.length === 0 && <Text size="sm">None: all accounts pay the list price.</Text>}
      {groups && groups.length > 0 && (
        <RecordTable
          label="Price groups"
          rows={groups}
          keyOf={({ name }) => name}
          columns={[
            { header: 'Name', card: 'title', cell: ({ name }) => name },
            { header: '% of the list price', cell: ({ multiplier }) => multiplier / 10 },
            { header: 'Accounts', cell: ({ accountCount }) => groupThousands(accountCount) },
            {
              header: 'Actions',
              cell: (group) =>
                may('setPriceGroup') ? (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Set the multiplier of ${group.name}`}
                    onClick={() => onAct(toSet(group))}
                  >
                    Set
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
      {may('createPriceGroup') && (
        <Group mt="md">
          <Button size="xs" variant="default" onClick={() => onAct(toCreate)}>
            {toCreate.label}
          </Button>
        </Group>
      )}
    </SectionCard>
  );
}

/** What an operator can do to price groups; after each, the list is read again. */
function usePriceGroupActs(onDone: () => Promise<unknown>) {
  const [create] = useMutation(CreateDocument);
  const [set] = useMutation(SetDocument);
  const toInput = (name: string, { reason, values }: ActInput) => ({
    input: { name, multiplier: Number(values.multiplier), reason },
  });
  const toCreate: Act = {
    label: 'Create a price group',
    keptAs: 'price group',
    words: 'Accounts are put into it on their own pages.',
    fields: [nameField, multiplierField],
    run: async (asked) => {
      await create({ variables: toInput(asked.values.name ?? '', asked) });
      return readAgain(onDone);
    },
  };
  const toSet = ({ name, multiplier }: { readonly name: string; readonly multiplier: number }): Act => ({
    label: 'Set the multiplier',
    keptAs: `multiplier ${name}`,
    words: `All accounts in ${name} pay it from their next call. Running calls keep their price.`,
    fields: [{ ...multiplierField, initial: String(multiplier) }],
    run: async (asked) => {
      await set({ variables: toInput(name, asked) });
      return readAgain(onDone);
    },
  });
  return { toCreate, toSet };
}
