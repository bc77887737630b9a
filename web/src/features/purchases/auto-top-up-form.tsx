import { useMutation } from '@apollo/client/react';
import { Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { NumberField } from '../../components/number-field';
import type { AutoTopUpInput, AutoTopUpQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { changedFields } from '../../lib/forms/changed-fields';
import { failureSentences, useShowWhatIs } from '../../lib/forms/lost-answers';
import { useStoredForm } from '../../lib/forms/use-stored-form';
import { graphqlErrorCode, graphqlErrorField } from '../../lib/graphql-error-message';
import { useFieldFaults } from '../../lib/use-field-faults';
import { AutoTopUpDocument, SetAutoTopUpDocument } from './auto-top-up-document';

const fields = ['threshold', 'dollars', 'monthlyCapDollars', 'hasConsent'] as const;

/** The consent is given anew. */
const kept = { keptAs: 'auto-top-up', keptFields: ['threshold', 'dollars', 'monthlyCapDollars'] } as const;

type Stored = Pick<AutoTopUpQuery['autoTopUp'], 'threshold' | 'dollars' | 'monthlyCapDollars'>;

/** The consent is to the amounts beside it: other amounts want another. */
function toValues({ threshold, dollars, monthlyCapDollars }: Stored) {
  return {
    threshold: threshold ?? 1_000,
    dollars: dollars ?? 20,
    monthlyCapDollars: monthlyCapDollars ?? 100,
    hasConsent: false,
  };
}

/**
 * The limits of the automatic top-up. It is turned on by a button of its own, beside what one agrees to: all amounts that stand
 * there. Later changes are sent alone, and turning it off sends no amount.
 */
export function AutoTopUpForm({ topUp }: { topUp: AutoTopUpQuery['autoTopUp'] }) {
  const [setAutoTopUp, { loading, client }] = useMutation(SetAutoTopUpDocument, {
    refetchQueries: [AutoTopUpDocument],
    awaitRefetchQueries: true,
  });
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);
  const fieldFaults = useFieldFaults();
  const { form, shown, showStored, isRestored, discard } = useStoredForm(toValues(topUp), kept);
  const { threshold, dollars, monthlyCapDollars } = shown;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when other amounts are stored than those that were agreed to
  useEffect(() => form.setFieldValue('hasConsent', false), [threshold, dollars, monthlyCapDollars]);

  async function send(input: AutoTopUpInput) {
    setFault(null);
    // It is shown anew once it is off, by then without what is typed.
    if (input.isOn === false) discard();
    try {
      const { data } = await setAutoTopUp({ variables: { input } });
      if (!data) return;
      showStored(toValues(data.setAutoTopUp));
      const { isOn } = data.setAutoTopUp;
      notifications.show({ title: 'Saved', message: `The automatic top-up is ${isOn ? 'on' : 'off'}.` });
    } catch (error) {
      const field = graphqlErrorField(error, fields);
      const words = failureSentences(error, { whether: 'whether the automatic top-up was changed' });
      if (field) form.setFieldError(field, words);
      else setFault(words);
      showWhatIs(error);
      // What stands here is not what is stored: the settings were changed elsewhere.
      if (graphqlErrorCode(error) === 'CONFLICT') await client.refetchQueries({ include: [AutoTopUpDocument] });
    }
  }

  async function save(values: typeof form.values) {
    if (fieldFaults.first !== null) return setFault(fieldFaults.first);
    const { hasConsent } = values;
    await send(topUp.isOn ? { ...changedFields(shown, values), hasConsent } : { ...values, isOn: true });
  }

  const amountProps = (field: 'threshold' | 'dollars' | 'monthlyCapDollars') => ({
    value: form.values[field],
    onChange: (value: number | null) => value !== null && form.setFieldValue(field, value),
    onFault: fieldFaults.note,
    error: form.errors[field],
  });

  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="md">
        <FormFault fault={fault} />
        <KeptNote isShown={isRestored} onDiscard={discard} />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          <NumberField
            name="threshold"
            label="Balance falls below"
            suffix=" credits"
            min={1}
            decimals={3}
            emptyFault="Enter the balance below which to buy."
            {...amountProps('threshold')}
          />
          <NumberField
            name="dollars"
            label="Buy for"
            prefix="$"
            min={5}
            max={1_000}
            emptyFault="Enter how many dollars to buy for."
            {...amountProps('dollars')}
          />
          <NumberField
            name="monthly-cap"
            label="Monthly limit"
            prefix="$"
            min={5}
            emptyFault="Enter the monthly limit."
            {...amountProps('monthlyCapDollars')}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Automatic top-ups this month: ${groupThousands(topUp.boughtThisMonthDollars)}.
        </Text>
        <Checkbox label={topUp.consentText} {...form.getInputProps('hasConsent', { type: 'checkbox' })} />
        <Group gap="sm">
          <LoadingButton type="submit" loading={loading} disabled={!topUp.card}>
            {topUp.isOn ? 'Save changes' : 'Turn on'}
          </LoadingButton>
          {topUp.isOn && (
            <LoadingButton variant="default" loading={loading} onClick={() => void send({ isOn: false })}>
              Turn off
            </LoadingButton>
          )}
        </Group>
      </Stack>
    </form>
  );
}
