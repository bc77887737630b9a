import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './full-page-message.module.css';
import { Logo } from './logo';

interface FullPageMessageProps {
  title: string;
  children: ReactNode;
  action: ReactNode;
}

/** A page that holds one message and one way out: not found, server away, broken. */
export function FullPageMessage({ title, children, action }: FullPageMessageProps) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <main className={classes.root}>
      <div className={classes.card}>
        <div className={classes.stripes} aria-hidden="true" />
        <div className={classes.body}>
          <Logo />
          <Title order={1} mt="lg">
            {title}
          </Title>
          <Text c="dimmed" mt="xs" mb="lg">
            {children}
          </Text>
          {action}
        </div>
      </div>
    </main>
  );
}
