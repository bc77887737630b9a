import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { graphqlErrorField, graphqlErrorMessage } from '../../lib/graphql-error-message';
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
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      threshold: topUp.threshold ?? 1_000,
      dollars: topUp.dollars ?? 20,
      monthlyCapDollars: topUp.monthlyCapDollars ?? 100,
      hasConsent: false,
    },
  });

  async function save(isOn: boolean) {
    setFault(null);
    const { threshold, dollars, monthlyCapDollars, hasConsent } = form.getValues();
    const amounts = {
      threshold: Number(threshold),
      dollars: Number(dollars),
      monthlyCapDollars: Number(monthlyCapDollars),
    };
    try {
      await setAutoTopUp({ variables: { input: { isOn, ...amounts, hasConsent: isOn && hasConsent } } });
      notifications.show({ title: 'Saved', message: `The automatic top-up is ${isOn ? 'on' : 'off'}.` });
    } catch (error) {
      const field = graphqlErrorField(error, fields);
      if (field) form.setFieldError(field, graphqlErrorMessage(error));
      else setFault(graphqlErrorMessage(error));
    }
  }

  return (
    <form onSubmit={form.onSubmit(() => save(true))} noValidate>
      <Stack gap="md">
        <FormFault fault={fault} />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          <NumberInput
            name="threshold"
            label="Balance falls below"
            suffix=" credits"
            min={1}
            decimalScale={3}
            thousandSeparator=","
            key={form.key('threshold')}
            {...form.getInputProps('threshold')}
          />
          <NumberInput
            name="dollars"
            label="Buy for"
            prefix="$"
            min={5}
            max={1_000}
            allowDecimal={false}
            key={form.key('dollars')}
            {...form.getInputProps('dollars')}
          />
          <NumberInput
            name="monthly-cap"
            label="At most in a month"
            prefix="$"
            min={5}
            allowDecimal={false}
            thousandSeparator=","
            key={form.key('monthlyCapDollars')}
            {...form.getInputProps('monthlyCapDollars')}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Bought in this way this month: ${groupThousands(topUp.boughtThisMonthDollars)}.
        </Text>
        <Checkbox
          label={topUp.consentText}
          key={form.key('hasConsent')}
          {...form.getInputProps('hasConsent', { type: 'checkbox' })}
        />
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
