import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { useReducer, useState } from 'react';
import { KeptNote } from '../../components/forms/kept-note';
import { SavedItems } from '../../components/tables/saved-items';
import { findLocalStorage } from '../../lib/browser-storage';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import { dropFromList, keepInList, readList } from '../../lib/kept-list';
import {
  fillVariables,
  listVariables,
  promptsOf,
  readSharedPrompt,
  type SavedPrompt,
} from '../../lib/playground/prompt-library';
import { useAccountItems } from '../../lib/use-account-items';

type PromptTexts = Pick<SavedPrompt, 'system' | 'question'>;

interface PromptLibraryProps {
  /** What would be saved now. */
  current: PromptTexts;
  onUse: (texts: PromptTexts) => void;
}

/** Prompts that are kept in this browser or for all members of the account. One with variables asks for their values before it is used. */
export function PromptLibrary({ current, onUse }: PromptLibraryProps) {
  // Read each time: whose they are is known a moment after the page is shown.
  const [, readAgain] = useReducer((times: number) => times + 1, 0);
  const [asking, setAsking] = useState<SavedPrompt | null>(null);

  const account = useAccountItems('PROMPT');
  const storage = account.owner === null ? null : findLocalStorage();
  const kind = promptsOf(account.owner ?? '');
  const prompts = readList(storage, kind);

  function open(prompt: SavedPrompt | null | undefined) {
    if (prompt && listVariables(prompt).length > 0) setAsking(prompt);
    else if (prompt) onUse(prompt);
  }
  return (
    <>
      <SavedItems
        label="Prompts"
        nameLabel="Name of this prompt"
        emptyText="None in this browser yet. Write a message or a system prompt and save it here. A placeholder such as {{topic}} is asked for each time you use it."
        names={prompts.map(({ name }) => name)}
        onOpen={(name) => open(prompts.find((one) => one.name === name))}
        onDelete={(name) => {
          dropFromList(storage, kind, name);
          readAgain();
        }}
        onSave={(name) => {
          const { fault } = keepInList(storage, kind, { name, ...current });
          readAgain();
          return fault;
        }}
        account={{
          ...account,
          onOpen: (item) => open(readSharedPrompt(item)),
          onDelete: (name) => void account.remove(name),
          onSave: (name) => account.save(name, current),
        }}
        canSave={`${current.system}${current.question}`.trim() !== ''}
      />
      {asking && (
        <VariablesForm
          prompt={asking}
          onClose={() => setAsking(null)}
          onUse={(texts) => {
            setAsking(null);
            onUse(texts);
          }}
        />
      )}
    </>
  );
}

interface VariablesFormProps {
  prompt: SavedPrompt;
  onClose: () => void;
  onUse: (texts: PromptTexts) => void;
}

function VariablesForm({ prompt, onClose, onUse }: VariablesFormProps) {
  const [empty] = useState(() => Object.fromEntries(listVariables(prompt).map((name) => [name, ''])));
  const kept = useKeptForm(`prompt ${prompt.name}`, empty);
  const [values, setValues] = useState(kept.start);

  function change(now: typeof values) {
    setValues(now);
    kept.keep(now);
  }

  function discard() {
    setValues(empty);
    kept.forget();
  }

  function cancel() {
    kept.forget();
    onClose();
  }
  return (
    <Modal opened onClose={cancel} closeOnClickOutside={false} title={prompt.name}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { system, question } = prompt;
          kept.forget();
          onUse({ system: fillVariables(system, values), question: fillVariables(question, values) });
        }}
      >
        <Stack gap="md">
          <KeptNote isShown={kept.isRestored} onDiscard={discard} />
          {listVariables(prompt).map((name, index) => (
            <Textarea
              key={name}
              name={name}
              label={name}
              autosize
              maxRows={8}
              data-autofocus={index === 0 || undefined}
              value={values[name] ?? ''}
              onChange={(event) => change({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit">Use prompt</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
