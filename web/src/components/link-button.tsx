import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface LinkButtonProps
  extends Pick<ButtonProps, 'variant' | 'color' | 'size' | 'leftSection' | 'rightSection' | 'fullWidth'> {
  to: string;
  children: ReactNode;
}

/** A link to a page of the dashboard that looks like a button. */
export function LinkButton(props: LinkButtonProps) {
  return <Button component={Link} {...props} />;
}
