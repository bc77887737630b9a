import { useApolloClient } from '@apollo/client/react';
import { Anchor, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths, serverPaths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { IconPlayerPlayFilled } from '../../components/icons';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import classes from './setup-checklist.module.css';

interface Answer {
  readonly text: string;
  readonly callId: string;
  readonly tokens: number;
  /** null: it will be known when the database is back. */
  readonly credits: number | null;
}

interface RunHereProps {
  model: string;
  /** Told when an answer has come. */
  onRun: () => void;
}

const question = 'Say hello to Tollgate.';
const outputTokensMax = 60;

/** Makes a real, billed call from the page, without a terminal and without a key, and shows the answer and its price. */
export function RunHere({ model, onRun }: RunHereProps) {
  const client = useApolloClient();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function run() {
    setIsBusy(true);
    setFault(null);
    try {
      setAnswer(await askOnce(model));
      onRun();
      await client.refetchQueries({ include: ['Overview'] });
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'The call could not be made.');
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <div className={classes.run} aria-live="polite">
      <FormFault fault={fault} />
      {answer ? (
        <>
          <p className={classes.answer}>{answer.text}</p>
          <Text size="sm" c="dimmed" className="numeric">
            {model}, {groupThousands(answer.tokens)} tokens
            {answer.credits !== null && `, ${formatCredits(answer.credits)} credits`}.{' '}
            <Anchor component={Link} to={paths.request(answer.callId)} inherit underline="always">
              Receipt
            </Anchor>
          </Text>
        </>
      ) : (
        <Group gap="sm">
          <BusyButton
            leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
            onClick={() => void run()}
            isBusy={isBusy}
          >
            {isBusy ? 'Running …' : 'Run it here'}
          </BusyButton>
          <Text size="sm" c="dimmed">
            Asks {model} “{question}” and bills it.
          </Text>
        </Group>
      )}
    </div>
  );
}

/** @throws ChatError with words for the reader. */
async function askOnce(model: string): Promise<Answer> {
  // Most visits run nothing here.
  const { askModel } = await import('../../lib/playground/ask-model');
  let text = '';
  let callId = '';
  const figures = await askModel({
    url: serverPaths.playgroundChat(),
    settings: { model, system: '', temperature: null, maxTokens: outputTokensMax, isStreamed: false },
    messages: [{ role: 'user', content: question }],
    signal: AbortSignal.timeout(60_000),
    onCall: (id) => {
      callId = id;
    },
    onText: (piece) => {
      text += piece;
    },
  });
  return { text, callId, tokens: figures.promptTokens + figures.completionTokens, credits: figures.credits };
}
