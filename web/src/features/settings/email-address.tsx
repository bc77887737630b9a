import { Group, Text } from '@mantine/core';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { LinkByOperator } from '../../components/link-by-operator';
import { StatusBadge } from '../../components/status-badge';
import { breakAddress } from '../../components/tables/record-table';
import { useVerificationMail } from '../../lib/session/mails';

interface EmailAddressProps {
  email: string;
  isVerified: boolean;
  /** Whether this server sends mail at all. */
  isMailSent: boolean;
}

/** The account's address, and whether anything is mailed there; if not, how it is verified. */
export function EmailAddress({ email, isVerified, isMailSent }: EmailAddressProps) {
  return (
    <>
      <Group gap="xs">
        <span>{breakAddress(email)}</span>
        <StatusBadge color={isVerified ? 'pine' : 'amber'}>{isVerified ? 'Verified' : 'Not verified'}</StatusBadge>
      </Group>
      {!isVerified && (isMailSent ? <LinkWasMailed email={email} /> : <NoLink email={email} />)}
    </>
  );
}

function LinkWasMailed({ email }: { email: string }) {
  const { sendAgain, isSending, fault } = useVerificationMail(email);
  return (
    <>
      <Text size="sm" c="dimmed" my={6}>
        Verify it to get alerts and top-up notices by e-mail. Open the link that we sent there.
      </Text>
      <FormFault fault={fault} />
      <LoadingButton size="xs" variant="default" loading={isSending} onClick={() => void sendAgain()}>
        Send again
      </LoadingButton>
    </>
  );
}

function NoLink({ email }: { email: string }) {
  return (
    <Text size="sm" c="dimmed" my={6}>
      <LinkByOperator command="verification-link" email={email} />
    </Text>
  );
}
