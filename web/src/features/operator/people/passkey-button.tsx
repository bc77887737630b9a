import { useState } from 'react';
import { BusyButton } from '../../../components/buttons/busy-button';
import { IconKey } from '../../../components/icons';
import { canUsePasskeys, passkeyFault } from '../../../lib/session/passkeys';

interface PasskeyButtonProps {
  children: string;
  /** Has a passkey sign, and does what that opens. */
  sign: () => Promise<void>;
  onFault: (fault: string | null) => void;
  /** What a fault is called; left out: as everywhere else. */
  describeFault?: (error: unknown) => string;
}

/** Asks for a passkey, where the browser knows them. */
export function PasskeyButton({ children, sign, onFault, describeFault = passkeyFault }: PasskeyButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  if (!canUsePasskeys()) return null;

  async function signOnce() {
    onFault(null);
    setIsBusy(true);
    try {
      await sign();
    } catch (error) {
      onFault(describeFault(error));
    }
    setIsBusy(false);
  }

  return (
    <BusyButton
      variant="default"
      isBusy={isBusy}
      leftSection={<IconKey size={16} aria-hidden />}
      onClick={() => void signOnce()}
    >
      {children}
    </BusyButton>
  );
}
