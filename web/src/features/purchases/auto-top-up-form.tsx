import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { NumberField } from '../../components/number-field';
import { graphql } from '../../gql';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { graphqlErrorField, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { useFieldFaults } from '../../lib/use-field-faults';
import { AutoTopUpDocument } from './auto-top-up-document';

const SetAutoTopUpDocument = graphql(`
  mutation SetAutoTopUp($input: AutoTopUpInput!) {
    setAutoTopUp(input: $input) {
      isOn
    }
  }
`);

const fields = ['threshold', 'dollars', 'monthlyCapDollars', 'hasConsent'] as const;

/** The limits of the automatic top-up. It is turned on by a button of its own, beside what one agrees to. */
export function AutoTopUpForm({ topUp }: { topUp: AutoTopUpQuery['autoTopUp'] }) {
  const [setAutoTopUp, { loading }] = useMutation(SetAutoTopUpDocument, {
    refetchQueries: [AutoTopUpDocument],
    awaitRefetchQueries: true,
  });
  const [fault, setFault] = useState<string | null>(null);
  const fieldFaults = useFieldFaults();
  const form = useForm({
    initialValues: {
      threshold: topUp.threshold ?? 1_000,
      dollars: topUp.dollars ?? 20,
      monthlyCapDollars: topUp.monthlyCapDollars ?? 100,
      hasConsent: false,
    },
  });

  async function save(isOn: boolean) {
    setFault(fieldFaults.first);
    if (fieldFaults.first !== null) return;
    const { hasConsent, ...amounts } = form.values;
    try {
      await setAutoTopUp({ variables: { input: { isOn, ...amounts, hasConsent: isOn && hasConsent } } });
      notifications.show({ title: 'Saved', message: `The automatic top-up is ${isOn ? 'on' : 'off'}.` });
    } catch (error) {
      const field = graphqlErrorField(error, fields);
      if (field) form.setFieldError(field, graphqlErrorMessage(error));
      else setFault(graphqlErrorMessage(error));
    }
  }

  const amountProps = (field: 'threshold' | 'dollars' | 'monthlyCapDollars') => ({
    value: form.values[field],
    onChange: (value: number | null) => value !== null && form.setFieldValue(field, value),
    onFault: fieldFaults.note,
    error: form.errors[field],
  });

  return (
    <form onSubmit={form.onSubmit(() => save(true))} noValidate>
      <Stack gap="md">
        <FormFault fault={fault} />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          <NumberField
            name="threshold"
            label="Balance falls below"
            suffix=" credits"
            min={1}
            decimals={3}
            thousandSeparator=","
            emptyFault="Enter the balance below which to buy."
            {...amountProps('threshold')}
          />
          <NumberField
            name="dollars"
            label="Buy for"
            prefix="$"
            min={5}
            max={1_000}
            emptyFault="Enter for how many dollars to buy."
            {...amountProps('dollars')}
          />
          <NumberField
            name="monthly-cap"
            label="At most in a month"
            prefix="$"
            min={5}
            thousandSeparator=","
            emptyFault="Enter the most that may be bought in a month."
            {...amountProps('monthlyCapDollars')}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Bought in this way this month: ${groupThousands(topUp.boughtThisMonthDollars)}.
        </Text>
        <Checkbox label={topUp.consentText} {...form.getInputProps('hasConsent', { type: 'checkbox' })} />
        <Group gap="sm">
          <Button type="submit" loading={loading} disabled={!topUp.card}>
            {topUp.isOn ? 'Save the changes' : 'Turn on'}
          </Button>
          {topUp.isOn && (
            <Button variant="default" loading={loading} onClick={() => void save(false)}>
              Turn off
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
