import { Button, type ButtonProps, type ElementProps } from '@mantine/core';

interface LoadingButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  loading: boolean;
}

/** A button whose press takes a while: meanwhile it shows that, tells screen readers that it is busy, and takes no second press. */
export function LoadingButton({ loading, ...props }: LoadingButtonProps) {
  return <Button {...props} loading={loading} aria-busy={loading} />;
}
