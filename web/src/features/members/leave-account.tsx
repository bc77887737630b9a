import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { tellOfSignOut } from '../../lib/session/account-switch';
import { endSessionOfTab } from '../../lib/session/session-end';

const LeaveAccountDocument = graphql(`
  mutation LeaveAccount($revokeKeys: Boolean!) {
    leaveAccount(revokeKeys: $revokeKeys)
  }
`);

/** The way out of somebody else's account. */
export function LeaveAccount() {
  const [isOpen, dialog] = useDisclosure(false);
  const [leaveAccount, { loading }] = useMutation(LeaveAccountDocument);
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  async function leave() {
    setFault(null);
    try {
      await leaveAccount({ variables: { revokeKeys } });
      endSessionOfTab();
      tellOfSignOut();
      window.location.assign(paths.signIn());
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether you have left the account' }));
    }
  }

  return (
    <SectionCard
      title="Leave this account"
      description="Your own account is not affected. You will have to sign in again."
    >
      <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
        Leave
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Leave this account?">
        <Stack gap="md">
          <Text size="sm">To come back, you need another invitation.</Text>
          <Checkbox
            label="Revoke the keys that I created"
            checked={revokeKeys}
            onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
          />
          <FormFault fault={fault} />
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              Cancel
            </Button>
            <LoadingButton color="red" loading={loading} onClick={() => void leave()}>
              Leave the account
            </LoadingButton>
          </Group>
        </Stack>
      </Modal>
    </SectionCard>
  );
}
