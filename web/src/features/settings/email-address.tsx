import { useMutation } from '@apollo/client/react';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { StatusBadge } from '../../components/status-badge';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';

const SendVerificationEmailDocument = graphql(`
  mutation SendVerificationEmail {
    sendVerificationEmail
  }
`);

interface EmailAddressProps {
  email: string;
  isVerified: boolean;
}

/** The account's address, and whether anything is mailed there; if not, another link that verifies it. */
export function EmailAddress({ email, isVerified }: EmailAddressProps) {
  const [sendVerificationEmail, { loading }] = useMutation(SendVerificationEmailDocument);
  const [fault, setFault] = useState<string | null>(null);

  async function sendAgain() {
    setFault(null);
    try {
      await sendVerificationEmail();
      notifications.show({ title: 'On its way', message: `A link to verify your address was sent to ${email}.` });
    } catch (error) {
      setFault(graphqlErrorMessage(error));
    }
  }

  return (
    <>
      <Group gap="xs">
        <span>{email}</span>
        <StatusBadge color={isVerified ? 'pine' : 'amber'}>{isVerified ? 'Verified' : 'Not verified'}</StatusBadge>
      </Group>
      {!isVerified && (
        <>
          <Text size="sm" c="dimmed" my={6}>
            Until it is verified, alerts and news of automatic top-ups are not mailed. Open the link that was sent
            there.
          </Text>
          <FormFault fault={fault} />
          <Button size="xs" variant="default" loading={loading} onClick={() => void sendAgain()}>
            Send again
          </Button>
        </>
      )}
    </>
  );
}
