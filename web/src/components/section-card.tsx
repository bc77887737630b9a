import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './section-card.module.css';

interface SectionCardProps {
  title: string;
  description?: ReactNode;
  /** A link or button at the right of the title. */
  action?: ReactNode;
  children: ReactNode;
}

/** A card with a second-level heading, exposed as a region of that name. */
export function SectionCard({ title, description, action, children }: SectionCardProps) {
  const titleId = useId();
  return (
    <section className={classes.card} aria-labelledby={titleId}>
      <div className={classes.head}>
        <Title order={2} id={titleId} className={classes.title}>
          {title}
        </Title>
        {description !== undefined && (
          <Text size="sm" c="dimmed" className={classes.description}>
            {description}
          </Text>
        )}
        {action && <div className={classes.action}>{action}</div>}
      </div>
      {children}
    </section>
  );
}
