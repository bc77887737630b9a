import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** What would stand here and what to do for it. */
  children: ReactNode;
  action?: ReactNode;
  /** The level of its heading: 3 in a card, 2 right below the title of a page. */
  order?: 2 | 3;
}

/** Stands where there is nothing yet and teaches the next step. */
export function EmptyState({ icon, title, children, action, order = 3 }: EmptyStateProps) {
  return (
    <div className={classes.root}>
      <div className={classes.icon} aria-hidden="true">
        {icon}
      </div>
      <Title order={order} size="h3">
        {title}
      </Title>
      <Text c="dimmed" size="sm" maw={420} mt={4}>
        {children}
      </Text>
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
