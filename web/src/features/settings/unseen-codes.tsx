import { Alert, Group, Stack } from '@mantine/core';
import { BusyButton } from '../../components/buttons/busy-button';
import { useHeldDialog } from '../../components/shown-once-modal';
import { RecoveryCodeList } from './recovery-code-list';
import { useRenewCodes } from './use-renew-codes';

interface UnseenCodesProps {
  /** What is in force, such as "The app is in force". */
  title: string;
  onDone: () => void;
}

/** A factor is in force whose recovery codes came with an answer that was lost: has new ones made and shows them. */
export function UnseenCodes({ title, onDone }: UnseenCodesProps) {
  const { codes, renew, isRenewing } = useRenewCodes();
  useHeldDialog({ isHeld: isRenewing });
  if (codes !== null) return <RecoveryCodeList codes={codes} onSaved={onDone} />;
  return (
    <Stack gap="md">
      <Alert color="amber" title={title} role="alert">
        You have not seen its recovery codes. Unless you have them, create new ones now: without one you cannot sign in
        if the device is lost.
      </Alert>
      <Group justify="flex-end">
        <BusyButton variant="default" isBusy={isRenewing} onClick={onDone}>
          Cancel
        </BusyButton>
        <BusyButton isBusy={isRenewing} onClick={() => void renew()}>
          Create new recovery codes
        </BusyButton>
      </Group>
    </Stack>
  );
}
