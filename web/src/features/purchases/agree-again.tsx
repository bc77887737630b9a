import { useMutation } from '@apollo/client/react';
import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { failureSentences, useShowWhatIs } from '../../lib/forms/lost-answers';
import { AutoTopUpDocument, SetAutoTopUpDocument } from './auto-top-up-document';
import { describeTopUp } from './describe-top-up';

/** What whoever saved the card is to agree to again, since somebody else may have set it, and the one press that does. */
export function AgreeAgain({ topUp }: { topUp: AutoTopUpQuery['autoTopUp'] }) {
  const [setAutoTopUp, { loading }] = useMutation(SetAutoTopUpDocument, {
    refetchQueries: [AutoTopUpDocument],
    awaitRefetchQueries: true,
  });
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);
  const { threshold, dollars, monthlyCapDollars } = topUp;

  async function agree() {
    setFault(null);
    try {
      // To the amounts that stand here, whatever is stored by now.
      await setAutoTopUp({
        variables: { input: { isOn: true, threshold, dollars, monthlyCapDollars, hasConsent: true } },
      });
      notifications.show({ title: 'Saved', message: 'The automatic top-up is on.' });
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the automatic top-up was turned on' }));
      showWhatIs(error);
    }
  }

  return (
    <Stack gap="sm" mt="sm" align="flex-start">
      <FormFault fault={fault} />
      <Text size="sm">
        {describeTopUp(topUp)} {topUp.consentText}
      </Text>
      <LoadingButton loading={loading} onClick={() => void agree()}>
        Agree, and turn it on again
      </LoadingButton>
    </Stack>
  );
}
