import { Button, Group, Modal, Stack, Text } from '@mantine/core';

interface ConfirmModalProps {
  /** A question, such as "Remove the app?". */
  title: string;
  /** What it does, and what of it cannot be undone. */
  words: string;
  /** The words on its button: those of what is done, never "OK". */
  button: string;
  /** The dialog is closed by then. */
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that one press would lose, or open to others. */
export function ConfirmModal({ title, words, button, onConfirm, onClose }: ConfirmModalProps) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack gap="md">
        <Text size="sm">{words}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            color="red.8"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {button}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
