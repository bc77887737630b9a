import { useState } from 'react';
import { failureSentences, pressAgain, randomKey } from '../../lib/forms/lost-answers';
import { graphqlErrorField, isRefusal } from '../../lib/graphql-error-message';

/** The `once` of acts whose answer was lost, by what they move: whoever closes the dialog and tries again asks for the same. */
const unanswered = new Map<string, string>();

interface Answered {
  /** The word by which the server knows the act. */
  readonly once: string;
  /** What to say at first, after an earlier dialog had no answer to the same act; null: nothing. */
  readonly lostBefore: string | null;
  readonly done: () => void;
  /** @returns what to say of it: never that nothing happened, unless the server says so. */
  readonly failed: (error: unknown) => string;
}

/**
 * Knows whether an act has its answer.
 * @param madeOnce What it moves and for whom, such as `grant acc_1`; null: it sends no `once`.
 */
export function useAnswered(madeOnce: string | null): Answered {
  const [known] = useState(() => (madeOnce === null ? null : (unanswered.get(madeOnce) ?? null)));
  const [once] = useState(() => known ?? randomKey());
  return {
    once,
    lostBefore: known === null ? null : `The answer to your last try was lost. ${pressAgain}`,
    done: () => {
      if (madeOnce !== null) unanswered.delete(madeOnce);
    },
    failed: (error) => {
      if (madeOnce !== null) noteFailure(error, madeOnce, once);
      return failureSentences(error, {
        whether: 'whether this was done',
        ...(madeOnce !== null && { remedy: pressAgain }),
      });
    },
  };
}

function noteFailure(error: unknown, madeOnce: string, once: string): void {
  if (!isRefusal(error)) unanswered.set(madeOnce, once);
  // The server has said what was asked for with it. Any other refusal may stand after an answer that was lost.
  else if (graphqlErrorField(error, ['once']) !== null) unanswered.delete(madeOnce);
}
