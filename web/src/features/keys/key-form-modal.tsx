import { useMutation, useQuery } from '@apollo/client/react';
import { Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { InPieces } from '../../components/in-pieces';
import { ShownOnceModal, useHeldDialog } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureSentences, useMadeOnce, useShowWhatIs } from '../../lib/forms/lost-answers';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { keySentence } from '../../lib/key-sentence';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';
import { nameFault } from '../../lib/session/validate-credentials';
import { useFieldFaults } from '../../lib/use-field-faults';
import { draftFault, type KeyDraft, newKeyDraft, toKeyChange, toKeyDraft, toKeyInput } from './key-draft';
import type { ApiKey } from './keys-document';
import { PermissionEditor } from './permission-editor';
import { SecretStep, type ShownSecret } from './secret-step';

const KeyChoicesDocument = graphql(`
  query KeyChoices {
    models {
      id
      providers
    }
  }
`);

const CreateApiKeyDocument = graphql(`
  mutation CreateApiKey($input: ApiKeyInput!, $idempotencyKey: String!) {
    createApiKey(input: $input, idempotencyKey: $idempotencyKey) {
      apiKey {
        id
      }
      secret
    }
  }
`);

const UpdateApiKeyDocument = graphql(`
  mutation UpdateApiKey($id: ID!, $input: ApiKeyInput!) {
    updateApiKey(id: $id, input: $input) {
      id
    }
  }
`);

interface KeyFormModalProps {
  /** The key to change; null makes a new one. */
  apiKey: ApiKey | null;
  isOpen: boolean;
  onClose: () => void;
}

/** Makes a key, or changes what one may do. A new secret is shown until the user says that it is saved. */
export default function KeyFormModal({ apiKey, isOpen, onClose }: KeyFormModalProps) {
  // Its answer may come while the dialog already stands there for another key.
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const isShowingSecret = shown !== null;
  const cancelling = useRef(onClose);
  return (
    <ShownOnceModal
      opened={isOpen}
      onExitTransitionEnd={() => setShown(null)}
      onClose={() => cancelling.current()}
      closeOnClickOutside={false}
      title={isShowingSecret ? 'Save your key now' : apiKey ? `Change ${nameInSentence(apiKey.name)}` : 'Create a key'}
      size="xl"
    >
      {isShowingSecret ? (
        <SecretStep {...shown} onSaved={onClose} />
      ) : (
        // It has many fields: the dialog is seen before they are all drawn.
        <InPieces outline={<Skeleton height={formHeightPx} />}>
          <KeyForm key={apiKey?.id} apiKey={apiKey} onCreated={setShown} onClose={onClose} cancelling={cancelling} />
        </InPieces>
      )}
    </ShownOnceModal>
  );
}

interface KeyFormProps {
  apiKey: ApiKey | null;
  onCreated: (secret: ShownSecret) => void;
  onClose: () => void;
  /** Is given what cancels it: Escape and the cross do what its button does. */
  cancelling: RefObject<() => void>;
}

const whenUnclear = {
  create: {
    whether: 'whether the key was created',
    remedy: 'Change nothing here and press “Create key” again. You will see the secret, and no second key is created.',
  },
  change: { whether: 'whether the key was changed', remedy: 'Save it again, or check the list.' },
};

const formHeightPx = 552;

function KeyForm({ apiKey, onCreated, onClose, cancelling }: KeyFormProps) {
  const { shown, draft, change, kept, discard } = useKeyDraft(apiKey);
  const [nameWords, setNameWords] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const fieldFaults = useFieldFaults();
  const nameField = useRef<HTMLInputElement>(null);
  const { data } = useQuery(KeyChoicesDocument);
  const showWhatIs = useShowWhatIs();
  const { save, isSaving } = useSaveKey(apiKey, shown);
  // What is made comes with a secret, which is shown once.
  const isMaking = isSaving && apiKey === null;
  useHeldDialog({ isHeld: isMaking });
  // The dialog may have moved the focus into itself before there was anything but its close button.
  useEffect(() => nameField.current?.focus(), []);

  function cancel() {
    kept.forget();
    onClose();
  }
  useEffect(() => {
    cancelling.current = cancel;
  });

  async function submit(event: FormEvent) {
    event.preventDefault();
    const missing = nameFault(draft.name);
    setNameWords(missing);
    const inDraft = fieldFaults.first ?? draftFault(draft);
    setFault(inDraft);
    // The form is longer than a phone: what was wrong at its top would not be seen from its end.
    if (missing !== null) nameField.current?.focus();
    if (missing !== null || inDraft !== null) return;
    kept.send();
    try {
      const secret = await save(draft);
      if (secret === null) onClose();
      else onCreated({ keyName: draft.name.trim(), secret });
    } catch (error) {
      kept.fail(error);
      const words = failureSentences(error, whenUnclear[apiKey ? 'change' : 'create']);
      if (graphqlErrorField(error, ['name'])) setNameWords(words);
      else setFault(words);
      showWhatIs(error);
    }
  }

  const models = data?.models ?? [];
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <KeptNote isShown={kept.isRestored} onDiscard={discard} />
        <TextInput
          name="key-name"
          ref={nameField}
          label="Name"
          description="To recognise it later, such as the program that uses it."
          placeholder="Laptop"
          required
          data-autofocus
          value={draft.name}
          error={nameWords}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
        />
        <PermissionEditor
          draft={draft}
          onChange={change}
          onFault={fieldFaults.note}
          models={models.map(({ id }) => id)}
          providers={[...new Set(models.flatMap(({ providers }) => providers))].sort()}
        />
        <Text size="sm" c="dimmed" aria-live="polite">
          {fieldFaults.first ?? keySentence(draft)}
        </Text>
        <FormFault fault={fault} />
        <Group justify="flex-end">
          <BusyButton variant="default" isBusy={isMaking} onClick={cancel}>
            Cancel
          </BusyButton>
          <BusyButton type="submit" isBusy={isSaving}>
            {isSaving ? 'Saving …' : apiKey ? 'Save changes' : 'Create key'}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}

/** What stands in the form; what was typed there and not sent stays for this tab. */
function useKeyDraft(apiKey: ApiKey | null) {
  // The list behind the dialog may read the key again meanwhile; what was shown first stays.
  const [shown] = useState<KeyDraft>(() => (apiKey ? toKeyDraft(apiKey) : newKeyDraft));
  const kept = useKeptForm(`key ${apiKey?.id ?? ''}`, shown);
  const [draft, setDraft] = useState(kept.start);
  const change = (fields: Partial<KeyDraft>) => {
    setDraft({ ...draft, ...fields });
    kept.keep({ ...draft, ...fields });
  };
  const discard = () => {
    setDraft(shown);
    kept.forget();
  };
  return { shown, draft, change, kept, discard };
}

/** Sends a new key whole, and of another what was changed. `save` answers the secret of a new key, null for another. */
function useSaveKey(apiKey: ApiKey | null, shown: KeyDraft) {
  const options = { refetchQueries: ['ApiKeys'], awaitRefetchQueries: true };
  const [createKey, creation] = useMutation(CreateApiKeyDocument, options);
  const [updateKey, change] = useMutation(UpdateApiKeyDocument, options);
  const { rememberSecret } = useFreshSecrets();
  const makeOnce = useMadeOnce();

  async function save(draft: KeyDraft): Promise<string | null> {
    if (apiKey) {
      const input = toKeyChange(shown, draft);
      if (Object.keys(input).length === 0) return null;
      await updateKey({ variables: { id: apiKey.id, input } });
      notifications.show({
        title: 'Saved',
        message: `${nameInSentence(draft.name.trim())} has its new rules now.`,
      });
      return null;
    }
    const input = toKeyInput(draft);
    const { data } = await makeOnce(input, (idempotencyKey) => createKey({ variables: { input, idempotencyKey } }));
    if (!data) return null;
    rememberSecret(data.createApiKey.apiKey.id, data.createApiKey.secret);
    return data.createApiKey.secret;
  }
  return { save, isSaving: creation.loading || change.loading };
}
