import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface LinkButtonProps
  extends Pick<ButtonProps, 'variant' | 'color' | 'size' | 'leftSection' | 'rightSection' | 'fullWidth'> {
  to: string;
  /** Its name for readers of the list of links, where the words alone say too little. */
  label?: string;
  children: ReactNode;
}

/** A link to a page of the dashboard that looks like a button. */
export function LinkButton({ label, ...props }: LinkButtonProps) {
  return <Button component={Link} aria-label={label} {...props} />;
}
