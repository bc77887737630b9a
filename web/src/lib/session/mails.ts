import { useMutation, useQuery } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { graphql } from '../../gql';
import { failureSentences } from '../forms/lost-answers';

const SendVerificationEmailDocument = graphql(`
  mutation SendVerificationEmail {
    sendVerificationEmail
  }
`);

const whenUnclear = { whether: 'whether a link was sent', remedy: 'Check your inbox before you ask again.' };

/** Mails another link that verifies this address; tells that it is on its way, or what was wrong. */
export function useVerificationMail(email: string) {
  const [sendVerificationEmail, { loading }] = useMutation(SendVerificationEmailDocument);
  const [fault, setFault] = useState<string | null>(null);

  async function sendAgain() {
    setFault(null);
    try {
      await sendVerificationEmail();
      notifications.show({ title: 'On its way', message: `A link to verify your address was sent to ${email}.` });
    } catch (error) {
      setFault(failureSentences(error, whenUnclear));
    }
  }

  return { sendAgain, isSending: loading, fault };
}

const MailboxDocument = graphql(`
  query Mailbox {
    mailboxPath
  }
`);

/** The page with the mails that a server on this machine would have sent; null: it has none, or that is not known yet. */
export function useMailbox(): string | null {
  return useQuery(MailboxDocument).data?.mailboxPath ?? null;
}
