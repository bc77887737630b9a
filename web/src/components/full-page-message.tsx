import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './full-page-message.module.css';
import { Logo } from './logo';

interface FullPageMessageProps {
  title: string;
  children: ReactNode;
  action: ReactNode;
  /** Whether it stands in the frame of the pages, which is a page's main part already. */
  isFramed?: boolean;
}

/** A page that holds one message and one way out: not found, server away, broken. */
export function FullPageMessage({ title, children, action, isFramed = false }: FullPageMessageProps) {
  useDocumentTitle(`${title} · Tollgate`);
  const Root = isFramed ? 'div' : 'main';
  return (
    <Root className={classes.root} data-framed={isFramed || undefined}>
      <div className={classes.card}>
        <div className={classes.stripes} aria-hidden="true" />
        <div className={classes.body}>
          {!isFramed && <Logo />}
          <Title order={1} mt={isFramed ? 0 : 'lg'}>
            {title}
          </Title>
          <Text c="dimmed" mt="xs" mb="lg">
            {children}
          </Text>
          {action}
        </div>
      </div>
    </Root>
  );
}
