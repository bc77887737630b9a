import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import type { Member } from './members-document';

const SetMemberBudgetDocument = graphql(`
  mutation SetMemberBudget($input: SetMemberBudgetInput!) {
    setMemberBudget(input: $input) {
      personId
    }
  }
`);

/** Asks for what the keys of a member may spend in a month. */
export function SetBudget({ member, onClose }: { member: Member; onClose: () => void }) {
  const [setMemberBudget, { loading }] = useMutation(SetMemberBudgetDocument, { refetchQueries: ['Members'] });
  const [credits, setCredits] = useState<number | string>(member.monthlyBudget ?? '');
  const [fault, setFault] = useState<string | null>(null);

  async function save(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    const monthlyBudget = credits === '' ? null : Number(credits);
    try {
      await setMemberBudget({ variables: { input: { personId: member.personId, monthlyBudget } } });
      const message = monthlyBudget === null ? `${member.name} has no budget.` : 'It holds for the next call.';
      notifications.show({ title: 'Budget saved', message });
      onClose();
    } catch (error) {
      setFault(graphqlErrorMessage(error));
    }
  }

  return (
    <Modal opened onClose={onClose} title={`Monthly budget of ${member.name}`}>
      <form onSubmit={(event) => void save(event)} noValidate>
        <Stack gap="md">
          <Text size="sm">
            What all keys that they have made may spend together in a month of the calendar, UTC. What this month has
            cost already counts. While they have a budget, the playground is closed to them.
          </Text>
          <NumberInput
            name="monthly-budget"
            label="Monthly budget"
            description="Empty: as much as the account."
            suffix=" credits"
            min={0}
            decimalScale={3}
            thousandSeparator=","
            data-autofocus
            value={credits}
            onChange={setCredits}
          />
          <FormFault fault={fault} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={loading}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
