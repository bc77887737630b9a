import { useMutation } from '@apollo/client/react';
import { Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureSentences, useShowWhatIs } from '../../lib/forms/lost-answers';
import { AutoTopUpDocument, SetAutoTopUpDocument } from './auto-top-up-document';
import { describeTopUp } from './describe-top-up';

/** The automatic top-up by a card that somebody else has saved: what it does, and how to turn it off. Only they turn it on or raise it. */
export function TopUpOfAnother({ topUp }: { topUp: AutoTopUpQuery['autoTopUp'] }) {
  const [setAutoTopUp, { loading }] = useMutation(SetAutoTopUpDocument, {
    refetchQueries: [AutoTopUpDocument],
    awaitRefetchQueries: true,
  });
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);
  const who = topUp.cardSavedBy ?? 'the person who saved the card';

  async function turnOff() {
    setFault(null);
    try {
      await setAutoTopUp({ variables: { input: { isOn: false } } });
      notifications.show({ title: 'Saved', message: 'The automatic top-up is off.' });
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the automatic top-up was turned off' }));
      showWhatIs(error);
    }
  }

  return (
    <Stack gap="md">
      <FormFault fault={fault} />
      <Text>
        {topUp.isOn ? describeTopUp(topUp) : 'It is off.'} Only {nameInSentence(who)} can turn it on or raise it with
        this card. To change it yourself, save a card of your own. It replaces this one.
      </Text>
      {topUp.isOn && (
        <Group>
          <LoadingButton variant="default" loading={loading} onClick={() => void turnOff()}>
            Turn off
          </LoadingButton>
        </Group>
      )}
    </Stack>
  );
}
