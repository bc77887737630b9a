import { useMutation } from '@apollo/client/react';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { BusyButton } from '../../../components/buttons/busy-button';
import { graphql } from '../../../gql';
import { graphqlErrorSentence } from '../../../lib/graphql-error-message';
import classes from '../operator.module.css';

const TestProviderDocument = graphql(`
  mutation OperatorTestProvider($id: ID!, $keyId: ID) {
    operator {
      testProvider(id: $id, keyId: $keyId) {
        isAnswered
        model
        durationMs
        status
        promptTokens
        completionTokens
        message
      }
    }
  }
`);

/** Asks a provider for one token, and says what came. */
export function ProviderTestButton({ id, name }: { id: string; name: string }) {
  const [test, { loading }] = useMutation(TestProviderDocument);
  const [words, setWords] = useState('');
  const run = async () => {
    setWords('');
    try {
      const { data } = await test({ variables: { id } });
      setWords(data ? describeTrial(data.operator.testProvider) : '');
    } catch (error) {
      setWords(graphqlErrorSentence(error));
    }
  };
  return (
    <>
      <BusyButton size="xs" variant="default" isBusy={loading} aria-label={`Test: ${name}`} onClick={() => void run()}>
        {loading ? 'Asking …' : 'Test'}
      </BusyButton>
      <Text size="sm" role="status" className={classes.outcome}>
        {words}
      </Text>
    </>
  );
}

interface Trial {
  readonly isAnswered: boolean;
  readonly model: string;
  readonly durationMs: number;
  readonly status?: number | null;
  readonly promptTokens?: number | null;
  readonly completionTokens?: number | null;
  readonly message?: string | null;
}

function describeTrial({
  isAnswered,
  model,
  durationMs,
  status,
  promptTokens,
  completionTokens,
  message,
}: Trial): string {
  if (!isAnswered) return `${model} did not answer${status == null ? '' : `, status ${status}`}: ${message ?? ''}`;
  return `${model} answered after ${durationMs} ms: ${promptTokens ?? '?'} + ${completionTokens ?? '?'} tokens.`;
}
