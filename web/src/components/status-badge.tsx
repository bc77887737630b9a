import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

interface StatusBadgeProps {
  color: 'pine' | 'amber' | 'red' | 'gray';
  children: ReactNode;
}

/** A dot and a word: the state of a key, a purchase or a call. */
export function StatusBadge({ color, children }: StatusBadgeProps) {
  return (
    <span className={classes.root} data-color={color}>
      {children}
    </span>
  );
}
