import { Alert, Button, Group, Text } from '@mantine/core';

interface KeptNoteProps {
  isShown: boolean;
  /** Shows what is stored again in every field. */
  onDiscard: () => void;
}

/** Says of a form that it was filled in before, such as before the session ended, and that nothing of it is saved. */
export function KeptNote({ isShown, onDiscard }: KeptNoteProps) {
  return (
    isShown && (
      <Alert color="gray" role="status" py="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm">Your unsaved changes were restored.</Text>
          <Button variant="default" size="xs" onClick={onDiscard}>
            Discard
          </Button>
        </Group>
      </Alert>
    )
  );
}
