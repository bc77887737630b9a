import { useState } from 'react';
import { IconRefresh } from '../icons';
import { BusyButton } from './busy-button';

interface RetryButtonProps {
  /** Asks once more; a rejection is shown by whoever asks. */
  onRetry: () => unknown;
  variant?: 'default' | 'filled';
}

/** Asks once more for what failed, and is busy until there is an answer. */
export function RetryButton({ onRetry, variant = 'filled' }: RetryButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  async function retry() {
    setIsBusy(true);
    await Promise.resolve(onRetry()).catch(() => undefined);
    setIsBusy(false);
  }
  return (
    <BusyButton
      variant={variant}
      isBusy={isBusy}
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={() => void retry()}
    >
      Try again
    </BusyButton>
  );
}
