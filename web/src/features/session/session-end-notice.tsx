import { Alert } from '@mantine/core';
import type { EndElsewhere } from '../../lib/session/account-switch';

/** How the session of the page before has ended; `ended`: the server has said so, as when it is too old or was ended from elsewhere. */
export type SessionEnd = EndElsewhere | 'ended';

const words: Readonly<Record<SessionEnd, readonly [title: string, text: string]>> = {
  ended: ['Your session has ended', 'Sign in again to return to the page where you were.'],
  'signed-out': ['You are signed out', 'You signed out in another tab of this browser.'],
  deleted: ['The account was deleted', 'You deleted it in another tab of this browser.'],
};

/** Above the sign-in: why it is there, where it came by itself. */
export function SessionEndNotice({ end }: { end: SessionEnd }) {
  const [title, text] = words[end];
  return (
    <Alert color="amber" role="alert" title={title}>
      {text}
    </Alert>
  );
}
