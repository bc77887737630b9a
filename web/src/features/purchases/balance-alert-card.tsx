import { useMutation, useQuery } from '@apollo/client/react';
import { Anchor, Checkbox, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { CodeBlock } from '../../components/code-block';
import { ErrorPanel } from '../../components/error-panel';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { NumberField } from '../../components/number-field';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { BalanceAlertInput, BalanceAlertQuery, SetBalanceAlertMutation } from '../../gql/graphql';
import { changedFields } from '../../lib/forms/changed-fields';
import { failureSentences, pressAgain, useShowWhatIs } from '../../lib/forms/lost-answers';
import { useStoredForm } from '../../lib/forms/use-stored-form';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { useFieldFaults } from '../../lib/use-field-faults';

const BalanceAlertDocument = graphql(`
  query BalanceAlert {
    viewer {
      id
      emailVerifiedAt
    }
    balanceAlert {
      threshold
      email
      webhookUrl
      webhookSecret
      use
    }
  }
`);

const SetBalanceAlertDocument = graphql(`
  mutation SetBalanceAlert($input: BalanceAlertInput!) {
    setBalanceAlert(input: $input) {
      threshold
      email
      webhookUrl
      use
    }
  }
`);

/** Being told, once each time, that the balance has become low. */
export function BalanceAlertCard() {
  const { data, error, refetch } = useQuery(BalanceAlertDocument);
  return (
    <SectionCard title="Low-balance alert" description="Alerts you once when the balance falls below your threshold.">
      {error && <ErrorPanel title="The alert could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={140} />}
      {data && <BalanceAlertForm alert={data.balanceAlert} isEmailVerified={data.viewer?.emailVerifiedAt != null} />}
      <Text size="sm" mt="md">
        Deliveries, and endpoints for other events:{' '}
        <Anchor component={Link} to={paths.webhooks()} inherit underline="always">
          Webhooks
        </Anchor>
      </Text>
    </SectionCard>
  );
}

const fields = ['threshold', 'webhookUrl'] as const;
const kept = { keptAs: 'balance-alert', keptFields: ['threshold', 'email', 'webhookUrl', 'use'] } as const;

interface BalanceAlertFormProps {
  alert: BalanceAlertQuery['balanceAlert'];
  isEmailVerified: boolean;
}

type AlertValues = {
  threshold: number | null;
  email: boolean;
  webhookUrl: string;
  use: boolean;
};

function toValues({ threshold, email, webhookUrl, use }: SetBalanceAlertMutation['setBalanceAlert']): AlertValues {
  return { threshold: threshold ?? null, email, webhookUrl: webhookUrl ?? '', use };
}

function toInput({ webhookUrl, ...values }: AlertValues): BalanceAlertInput {
  return { ...values, webhookUrl: webhookUrl.trim() === '' ? null : webhookUrl.trim() };
}

function BalanceAlertForm({ alert, isEmailVerified }: BalanceAlertFormProps) {
  const [setBalanceAlert, { loading }] = useMutation(SetBalanceAlertDocument, {
    refetchQueries: [BalanceAlertDocument],
    awaitRefetchQueries: true,
  });
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);
  const fieldFaults = useFieldFaults();
  const { form, shown, showStored, isRestored, discard } = useStoredForm<AlertValues>(toValues(alert), kept);

  async function save(values: AlertValues) {
    setFault(fieldFaults.first);
    if (fieldFaults.first !== null) return;
    const input = changedFields(toInput(shown), toInput(values));
    try {
      const { data } = await setBalanceAlert({ variables: { input } });
      if (!data) return;
      // What was changed elsewhere meanwhile is shown from now on, and is no change of this form.
      const now = toValues(data.setBalanceAlert);
      showStored(now);
      notifications.show({
        title: 'Saved',
        message: now.threshold === null ? 'The alert is off.' : 'The alert is on.',
      });
    } catch (error) {
      const field = graphqlErrorField(error, fields);
      const words = failureSentences(error, { whether: 'whether the alert was saved', remedy: pressAgain });
      if (field) form.setFieldError(field, words);
      else setFault(words);
      showWhatIs(error);
    }
  }

  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="md">
        <FormFault fault={fault} />
        <KeptNote isShown={isRestored} onDiscard={discard} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <NumberField
            name="threshold"
            label="Threshold"
            description="Empty: no alert."
            suffix=" credits"
            min={0}
            decimals={3}
            value={form.values.threshold}
            onChange={(threshold) => form.setFieldValue('threshold', threshold)}
            onFault={fieldFaults.note}
            error={form.errors.threshold}
          />
          <TextInput
            name="webhook-address"
            label="Webhook URL"
            description="https on the public internet. Empty: none."
            type="url"
            {...form.getInputProps('webhookUrl')}
          />
        </SimpleGrid>
        <Checkbox
          label="By e-mail"
          description={isEmailVerified ? undefined : <VerifyFirst />}
          {...form.getInputProps('email', { type: 'checkbox' })}
        />
        <Checkbox
          label="Also budgets, balance levels and spikes"
          description="Sent the same way: at 50, 80 and 100 % of a budget or of the balance after the last top-up, and when an hour costs far more than usual."
          {...form.getInputProps('use', { type: 'checkbox' })}
        />
        {alert.webhookSecret && (
          <div>
            <Text size="sm" c="dimmed" mb={4}>
              Each delivery carries tollgate-signature: t=seconds,v1=HMAC-SHA256 of “t.body” by this secret.
            </Text>
            <CodeBlock code={alert.webhookSecret} what="webhook secret" />
          </div>
        )}
        <div>
          <LoadingButton type="submit" variant="default" loading={loading}>
            Save
          </LoadingButton>
        </div>
      </Stack>
    </form>
  );
}

function VerifyFirst() {
  return (
    <>
      Verify your address in the{' '}
      <Anchor component={Link} to={paths.settings()} inherit underline="always">
        settings
      </Anchor>{' '}
      first.
    </>
  );
}
