import { useMutation } from '@apollo/client/react';
import { Group, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { useHeldDialog } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureSentences } from '../../lib/forms/lost-answers';
import { browserName } from '../../lib/session/browser-name';
import { makePasskey, passkeyFault } from '../../lib/session/passkeys';
import { nameFault } from '../../lib/session/validate-credentials';
import { RecoveryCodeList } from './recovery-code-list';
import { UnseenCodes } from './unseen-codes';
import { useAskFactors } from './use-ask-factors';

const StartPasskeyDocument = graphql(`
  mutation StartPasskey {
    startPasskey
  }
`);

const AddPasskeyDocument = graphql(`
  mutation AddPasskey($input: AddPasskeyInput!) {
    addPasskey(input: $input) {
      passkey {
        id
        name
      }
      recoveryCodes
    }
  }
`);

const whenUnclear = {
  whether: 'whether the passkey was added',
  remedy:
    'Reload this page to check. If it is your first one, create new recovery codes, because you have not seen the ones that came with it.',
};

/** Has the browser make a passkey, and shows the recovery codes that come with the first one. */
export default function NewPasskey({ onDone }: { onDone: () => void }) {
  const [start] = useMutation(StartPasskeyDocument);
  const [add] = useMutation(AddPasskeyDocument, { refetchQueries: ['Factors'] });
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  useHeldDialog({ isHeld: isBusy });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { findKnown, askNow } = useAskFactors();
  const [before] = useState(findKnown);
  const [hasUnseenCodes, setUnseenCodes] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    // The server would refuse it once the device has made the passkey.
    const unfit = nameFault(name);
    setFault(unfit);
    if (unfit !== null) return;
    setIsBusy(true);
    try {
      const { data: begun } = await start();
      await keep(await makePasskey(begun?.startPasskey ?? ''));
    } catch (error) {
      if (!(await findAdded())) setFault(passkeyFault(error));
    }
    setIsBusy(false);
  }

  async function keep(response: string) {
    try {
      const { data } = await add({ variables: { input: { name, response } } });
      const recoveryCodes = data?.addPasskey.recoveryCodes ?? [];
      if (recoveryCodes.length > 0) setCodes(recoveryCodes);
      else tellAdded();
    } catch (error) {
      if (!(await findAdded())) setFault(failureSentences(error, whenUnclear));
    }
  }

  /** After any failure: an answer that was lost, of this try or one before, may have told of a new passkey. */
  async function findAdded(): Promise<boolean> {
    const now = await askNow();
    if (now === null || before === null || now.passkeys.length <= before.passkeys.length) return false;
    if (now.recoveryCodesLeft > before.recoveryCodesLeft) setUnseenCodes(true);
    else tellAdded();
    return true;
  }

  function tellAdded() {
    notifications.show({ title: 'Passkey added', message: `${nameInSentence(name)} can now sign you in.` });
    onDone();
  }

  if (codes !== null) return <RecoveryCodeList codes={codes} onSaved={tellAdded} />;
  if (hasUnseenCodes) return <UnseenCodes title="The passkey was added" onDone={onDone} />;
  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Add a passkey">
      <Stack gap="md">
        <TextInput
          name="passkey-name"
          label="Name"
          description="To recognise it later."
          required
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fault}
        />
        <Group justify="flex-end">
          <BusyButton variant="default" isBusy={isBusy} onClick={onDone}>
            Cancel
          </BusyButton>
          <BusyButton type="submit" isBusy={isBusy} disabled={name.trim() === ''}>
            {isBusy ? 'Waiting for your device …' : 'Create the passkey'}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}
