import { Code } from '@mantine/core';

interface LinkByOperatorProps {
  /** The command of `npm run tollgate` that prints the link. */
  command: 'verification-link' | 'email-change-link' | 'invitation-link';
  email: string;
}

/** What is to be done on a server that sends no mail: the command that prints the link to an address. */
export function LinkByOperator({ command, email }: LinkByOperatorProps) {
  return (
    <>
      This server sends no mail, so no link was sent. Its operator can make one:{' '}
      <Code style={{ overflowWrap: 'anywhere' }}>
        npm run tollgate -- {command} {email}
      </Code>
    </>
  );
}
