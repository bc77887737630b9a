import { useApolloClient } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { paths } from '../../app/paths';
import { failureWords } from '../forms/lost-answers';
import { graphqlErrorCode } from '../graphql-error-message';
import { tellOfSignOut } from './account-switch';
import { askViewer } from './ask-viewer';
import { endSessionOfTab } from './session-end';

const whenFailed = {
  refused: 'You are still signed in',
  whether: 'whether you are signed out',
  remedy: 'Sign out again before you leave this browser to somebody else.',
};

/**
 * Carries out a sign-out, and leads every tab of this browser to the sign-in once the session is over, also when the answer to the
 * sign-out itself was lost. Never rejects: a failure is told by a toast.
 */
export function useLeaveSession(): (signOut: () => Promise<unknown>) => Promise<void> {
  const client = useApolloClient();
  return async (signOut) => {
    try {
      await signOut();
    } catch (error) {
      const isOver = graphqlErrorCode(error) === 'UNAUTHENTICATED' || (await askViewer(client))?.accountId === null;
      if (!isOver) {
        notifications.show({ color: 'red', ...failureWords(error, whenFailed) });
        return;
      }
    }
    endSessionOfTab();
    tellOfSignOut();
    // A whole new page: nothing of this session stays in memory.
    window.location.assign(paths.signIn());
  };
}
