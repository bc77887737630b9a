import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { type Member, nameAndEmail } from './members-document';

const RemoveMemberDocument = graphql(`
  mutation RemoveMember($personId: ID!, $revokeKeys: Boolean!) {
    removeMember(personId: $personId, revokeKeys: $revokeKeys) {
      personId
    }
  }
`);

/** Asks before a member is removed, and what becomes of the keys that they have made. */
export function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const [removeMember, { loading }] = useMutation(RemoveMemberDocument, { refetchQueries: ['Members'] });
  const [revokeKeys, setRevokeKeys] = useState(true);
  const [fault, setFault] = useState<string | null>(null);

  async function remove() {
    setFault(null);
    try {
      await removeMember({ variables: { personId: member.personId, revokeKeys } });
      notifications.show({
        title: 'Member removed',
        message: `${nameAndEmail(member)} no longer has access to this account.`,
      });
      onClose();
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the member was removed' }));
    }
  }

  return (
    <Modal opened onClose={onClose} title={`Remove ${nameAndEmail(member)}?`}>
      <Stack gap="md">
        <Text size="sm">
          They lose access to this account at once, and are signed out of it. Their own account is not affected.
        </Text>
        <Checkbox
          label="Revoke the keys that they created"
          description="Programs with these keys stop working. Otherwise the keys keep working."
          checked={revokeKeys}
          onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
        />
        <Text size="sm">
          Webhooks and shared receipts belong to the account and stay, whoever created them. Give a new secret to each
          webhook whose secret this person has seen.
        </Text>
        <FormFault fault={fault} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <LoadingButton color="red" loading={loading} onClick={() => void remove()}>
            Remove
          </LoadingButton>
        </Group>
      </Stack>
    </Modal>
  );
}
