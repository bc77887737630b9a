import { useMutation } from '@apollo/client/react';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { type Member, nameAndEmail } from './members-document';

const TransferOwnershipDocument = graphql(`
  mutation TransferOwnership($personId: ID!) {
    transferOwnership(personId: $personId) {
      personId
    }
  }
`);

/** Asks before the account is handed over. */
export function TransferOwnership({ member, onClose }: { member: Member; onClose: () => void }) {
  const [transfer, { loading }] = useMutation(TransferOwnershipDocument, { refetchQueries: ['Members', 'Session'] });
  const [fault, setFault] = useState<string | null>(null);

  async function handOver() {
    setFault(null);
    try {
      await transfer({ variables: { personId: member.personId } });
      notifications.show({ title: 'Ownership transferred', message: `${nameAndEmail(member)} is the owner now.` });
      onClose();
    } catch (error) {
      setFault(failureSentences(error, { whether: 'whether the ownership was transferred' }));
    }
  }

  return (
    <Modal opened onClose={onClose} title={`Transfer ownership to ${nameAndEmail(member)}?`}>
      <Stack gap="md">
        <Text size="sm">They become the owner and you become an admin. Only they can give ownership back to you.</Text>
        <FormFault fault={fault} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <LoadingButton color="red" loading={loading} onClick={() => void handOver()}>
            Transfer ownership
          </LoadingButton>
        </Group>
      </Stack>
    </Modal>
  );
}
