import { useApolloClient, useMutation } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { paths } from '../../app/paths';
import { graphql } from '../../gql';
import { failureWords } from '../forms/lost-answers';
import { graphqlErrorCode } from '../graphql-error-message';
import { tellOfSignOut } from './account-switch';
import { askViewer } from './ask-viewer';
import { endSessionOfTab } from './session-end';

const SignOutDocument = graphql(`
  mutation SignOut {
    signOut
  }
`);

const whenFailed = {
  refused: 'You are still signed in',
  whether: 'whether you are signed out',
  remedy: 'Sign out again before somebody else uses this browser.',
};

/**
 * Carries out a sign-out, and leads every tab of this browser to the sign-in once the session is over, also when the answer to the
 * sign-out itself was lost. Never rejects: a failure is told by a toast. @returns what does so; this tab goes on `to`.
 */
export function useLeaveSession(): (signOut: () => Promise<unknown>, to?: string) => Promise<void> {
  const client = useApolloClient();
  return async (signOut, to = paths.signIn()) => {
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
    window.location.assign(to);
  };
}

/** Signs out, as `useLeaveSession` says, and has this tab go on `to`. */
export function useSignOut() {
  const [signOut, { loading }] = useMutation(SignOutDocument);
  const leaveSession = useLeaveSession();
  return { isLeaving: loading, signOut: (to?: string) => leaveSession(signOut, to) };
}
