import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { type Member, nameAndEmail } from './members-document';

interface MakeOwnerProps {
  member: Member;
  /** Makes the change, and tells of it. Never rejects. */
  onMake: (member: Member, role: 'OWNER') => Promise<void>;
  onClose: () => void;
}

/** Asks before a member becomes an owner beside whoever is one. */
export function MakeOwner({ member, onMake, onClose }: MakeOwnerProps) {
  const [isMaking, setIsMaking] = useState(false);

  async function make() {
    setIsMaking(true);
    await onMake(member, 'OWNER');
    onClose();
  }

  return (
    <Modal opened onClose={onClose} title={`Make ${nameAndEmail(member)} an owner?`}>
      <Stack gap="md">
        <Text size="sm">
          From now on they may do everything that you may, including changing your role and choosing other owners.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <LoadingButton color="red" loading={isMaking} onClick={() => void make()}>
            Make an owner
          </LoadingButton>
        </Group>
      </Stack>
    </Modal>
  );
}
