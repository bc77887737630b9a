import { Button, type ButtonProps, type ElementProps } from '@mantine/core';

interface BusyButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  /** Something is under way that a press would disturb: its own act, or one of the same form. */
  isBusy: boolean;
}

/**
 * A button that says in its own words, or beside itself, what is under way: meanwhile it takes no press and tells screen readers
 * that it is busy. `FocusKeeper` gives it the focus back afterwards, however long that took. `LoadingButton` draws a sign besides.
 */
export function BusyButton({ isBusy, disabled = false, ...props }: BusyButtonProps) {
  return <Button {...props} disabled={disabled || isBusy} aria-busy={isBusy} />;
}
