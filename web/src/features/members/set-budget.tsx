import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { NumberField } from '../../components/number-field';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import { useFieldFaults } from '../../lib/use-field-faults';
import { type Member, nameAndEmail } from './members-document';

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
  // The page may read the members again meanwhile; what was shown first stays.
  const [shown] = useState({ monthlyBudget: member.monthlyBudget ?? null });
  const kept = useKeptForm(`budget ${member.personId}`, shown);
  const [monthlyBudget, setMonthlyBudget] = useState(kept.start.monthlyBudget);
  const fieldFaults = useFieldFaults();
  const [fault, setFault] = useState<string | null>(null);

  function change(budget: number | null) {
    setMonthlyBudget(budget);
    kept.keep({ monthlyBudget: budget });
  }

  function discard() {
    setMonthlyBudget(shown.monthlyBudget);
    kept.forget();
  }

  function cancel() {
    kept.forget();
    onClose();
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    // Its field says what is wrong.
    if (fieldFaults.first !== null) return;
    try {
      await setMemberBudget({ variables: { input: { personId: member.personId, monthlyBudget } } });
      kept.forget();
      const words = monthlyBudget === null ? 'has no budget.' : 'has it from the next call.';
      const message = `${nameAndEmail(member)} ${words}`;
      notifications.show({ title: 'Budget saved', message });
      onClose();
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the budget was set' }));
    }
  }

  return (
    <Modal opened onClose={cancel} closeOnClickOutside={false} title={`Monthly budget of ${nameAndEmail(member)}`}>
      <form onSubmit={(event) => void save(event)} noValidate>
        <Stack gap="md">
          <Text size="sm">
            A limit on what all keys that they created may spend together in a calendar month (UTC), including what they
            have spent this month. While they have a budget, they cannot use the playground. Alerts are sent at 50, 80
            and 100 %, to the member as well where usage alerts go by e-mail.
          </Text>
          <KeptNote isShown={kept.isRestored} onDiscard={discard} />
          <NumberField
            name="monthly-budget"
            label="Monthly budget"
            description="Empty: no limit."
            suffix=" credits"
            min={0}
            decimals={3}
            data-autofocus
            value={monthlyBudget}
            onChange={change}
            onFault={fieldFaults.note}
          />
          <FormFault fault={fault} />
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <LoadingButton type="submit" loading={loading}>
              Save
            </LoadingButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
