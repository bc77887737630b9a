import { useRef } from 'react';
import { graphqlErrorField } from './graphql-error-message';

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
