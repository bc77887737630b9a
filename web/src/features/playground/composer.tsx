import { Button, Group, Text, Textarea } from '@mantine/core';
import { IconPlayerStopFilled, IconSend } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { ChatError } from '../../lib/ask-model';
import { useDraft } from '../../lib/use-draft';
import classes from './playground.module.css';

interface ComposerProps {
  isBusy: boolean;
  isPossible: boolean;
  onAsk: (question: string) => Promise<void>;
  onStop: () => void;
  hint: ReactNode;
}

/** Where the question is written. Enter sends, Shift+Enter makes a line; what is not sent yet outlives a reload. */
export function Composer({ isBusy, isPossible, onAsk, onStop, hint }: ComposerProps) {
  const [draft, setDraft] = useDraft('playground.question', '');
  const [fault, setFault] = useState<string | null>(null);

  async function send() {
    const question = draft.trim();
    if (question === '' || isBusy || !isPossible) return;
    setFault(null);
    setDraft('');
    try {
      await onAsk(question);
    } catch (error) {
      setDraft(question);
      setFault(error instanceof ChatError ? error.message : 'The question was not sent. Try again.');
    }
  }

  function sendOnEnter(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  }

  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        aria-label="Your message"
        placeholder="Ask the model something …"
        autosize
        minRows={2}
        maxRows={12}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
        error={fault}
      />
      <Group justify="space-between" mt="xs" gap="xs">
        <div>
          {hint}
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Enter sends, Shift + Enter begins a new line.
          </Text>
        </div>
        {isBusy ? (
          <Button
            color="red.8"
            variant="filled"
            leftSection={<IconPlayerStopFilled size={16} aria-hidden />}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<IconSend size={16} aria-hidden />}
            disabled={draft.trim() === '' || !isPossible}
          >
            Send
          </Button>
        )}
      </Group>
    </form>
  );
}
