import { useApolloClient } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { graphqlErrorField, graphqlErrorMessage, isRefusal, unclearSentence } from '../graphql-error-message';

const lookFirst = 'Reload this page to check before you try again.';

/** The remedy where a second press changes nothing more: the server knows the first one, or the same is set again. */
export const pressAgain = 'Press again without changes. It is done only once.';

interface Words {
  readonly title: string;
  readonly message: string;
}

/** What a change was to do, for when it fails. */
interface FailedChange {
  /** What is said above the server's reason when it refuses, such as "The app was not removed". */
  readonly refused: string;
  /** What is not known when no clear answer came, such as "whether the app was removed". */
  readonly whether: string;
  /** What to do then; by default to look before trying again. */
  readonly remedy?: string;
}

/** What is said of a change that failed: it was not made when the server refuses, and may have been made otherwise. */
export function failureWords(error: unknown, { refused, whether, remedy = lookFirst }: FailedChange): Words {
  if (isRefusal(error)) return { title: refused, message: graphqlErrorMessage(error) };
  return { title: `We could not confirm ${whether}`, message: `${unclearSentence(error)} ${remedy}` };
}

/** The same in one text, for a form that says by itself what it is about. */
export function failureSentences(error: unknown, change: Omit<FailedChange, 'refused'>): string {
  const { title, message } = failureWords(error, { refused: '', ...change });
  return title === '' ? message : `${title}. ${message}`;
}

/** Asks anew for all that the page shows, after a change that may have been made. What cannot be asked stays as it is. */
export function useShowWhatIs(): (error: unknown) => void {
  const client = useApolloClient();
  return (error) => {
    if (!isRefusal(error)) client.refetchQueries({ include: 'active' }).catch(() => undefined);
  };
}

/** Tells of a change that failed by a toast, and has the page show what is so where that is not known. */
export function useTellFailure(): (error: unknown, change: FailedChange) => void {
  const showWhatIs = useShowWhatIs();
  return (error, change) => {
    notifications.show({ color: 'red', ...failureWords(error, change) });
    showWhatIs(error);
  };
}

/** Sends a change with an idempotency key; `input` is all that it depends on. Rejects as `send` does. */
type MakeOnce = <Result>(input: unknown, send: (idempotencyKey: string) => Promise<Result>) => Promise<Result>;

/** A random text of 32 hexadecimal digits. Unlike `crypto.randomUUID`, it is there on pages without TLS, too. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * For a change that must not be made twice. The same input is sent under the same key until its answer has come, so that the server
 * answers a second press after a lost answer with what the first one made. The key lives as long as the component.
 */
export function useMadeOnce(): MakeOnce {
  const attempt = useRef<{ readonly input: string; readonly key: string } | null>(null);
  return async (input, send) => {
    const text = JSON.stringify(input);
    if (attempt.current?.input !== text) attempt.current = { input: text, key: randomKey() };
    try {
      const result = await send(attempt.current.key);
      attempt.current = null;
      return result;
    } catch (error) {
      // The server says that it was made, and can tell no more of it: whoever asks once more wants another. Any other refusal may
      // stand after an answer that was lost, so that the key stays.
      if (graphqlErrorField(error, ['idempotencyKey']) !== null) attempt.current = null;
      throw error;
    }
  };
}
