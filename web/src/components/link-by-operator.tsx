import { Anchor, Code } from '@mantine/core';
import { useMailbox } from '../lib/session/mails';

interface LinkByOperatorProps {
  /** The command of `npm run tollgate` that prints the link. */
  command: 'verification-link' | 'email-change-link' | 'invitation-link';
  email: string;
}

// Whether a link was sent is not said: the server may have sent mail when it was asked for one.
const noMail = 'This server sends no mail.';

/** What is to be done on a server that sends no mail: where the mail lies, if its server keeps any, and the command that prints the link to an address. */
export function LinkByOperator({ command, email }: LinkByOperatorProps) {
  const mailbox = useMailbox();
  return (
    <>
      {mailbox === null ? noMail : <MailboxLink path={mailbox} />} Its operator can create a link:{' '}
      <Code style={{ overflowWrap: 'anywhere' }}>
        npm run tollgate -- {command} {email}
      </Code>
    </>
  );
}

/** Leads to the mails of a server that sends none. */
export function MailboxLink({ path }: { path: string }) {
  return (
    <>
      {noMail} Mail since the server started is in{' '}
      <Anchor href={path} target="_blank" underline="always" inherit>
        its mailbox
      </Anchor>
      , within ten seconds.
    </>
  );
}
