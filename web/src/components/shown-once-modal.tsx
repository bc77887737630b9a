import { Button, Modal, type ModalProps, Stack } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from 'react';
import { holdPage } from '../lib/forms/held-page';

/** Counts who holds the dialog open. */
const HoldContext = createContext<((change: 1 | -1) => void) | null>(null);

/**
 * A dialog that may come to show something once. While that is asked for, and as long as a `ShownOnce` stands in it, its own buttons
 * alone close it: no Escape, no click beside it, no cross; and the browser asks before the page is left.
 */
export function ShownOnceModal({ children, ...props }: ModalProps) {
  const [holdCount, setHoldCount] = useState(0);
  const hold = useCallback((change: 1 | -1) => setHoldCount((count) => count + change), []);
  const guards = holdCount > 0 ? { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false } : {};
  return (
    <Modal {...props} {...guards}>
      <HoldContext value={hold}>{children}</HoldContext>
    </Modal>
  );
}

/**
 * Holds the dialog open, for instance while something is made that will be shown once.
 * @throws where it stands in any other dialog, which a stray key would close.
 */
export function useHeldDialog({ isHeld }: { isHeld: boolean }): void {
  const hold = useContext(HoldContext);
  if (hold === null) throw new Error('What is shown once stands in a ShownOnceModal.');
  useLayoutEffect(() => {
    if (!isHeld) return;
    const release = holdPage();
    hold(1);
    return () => {
      release();
      hold(-1);
    };
  }, [hold, isHeld]);
}

interface ShownOnceProps {
  /** What is shown. */
  children: ReactNode;
  /** The words on the button; by default "I have saved it". */
  button?: string;
  onSaved: () => void;
}

/** Shows something for the one time that it can be shown, in a `ShownOnceModal`. */
export function ShownOnce({ children, button = 'I have saved it', onSaved }: ShownOnceProps) {
  useHeldDialog({ isHeld: true });
  return (
    <Stack gap="md">
      {children}
      <Button onClick={onSaved}>{button}</Button>
    </Stack>
  );
}
