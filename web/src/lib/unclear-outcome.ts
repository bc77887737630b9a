import { useApolloClient } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { graphqlErrorMessage, isRefusal } from './graphql-error-message';

const lookFirst = 'Load this page again and look before you try again.';

interface Words {
  readonly title: string;
  readonly message: string;
}

/** What a change was to do, for when it fails. */
interface FailedChange {
  /** What is said above the server's reason when it refuses, such as "The app stays". */
  readonly refused: string;
  /** What is not known when no clear answer came, such as "whether the app was removed". */
  readonly whether: string;
  /** What to do then; by default to look before trying again. */
  readonly remedy?: string;
}

/** What is said of a change that failed: it was not made when the server refuses, and may have been made otherwise. */
export function failureWords(error: unknown, { refused, whether, remedy = lookFirst }: FailedChange): Words {
  if (isRefusal(error)) return { title: refused, message: graphqlErrorMessage(error) };
  return { title: `It is not known ${whether}`, message: `Tollgate gave no clear answer. ${remedy}` };
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
