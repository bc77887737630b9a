import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './centered-page.module.css';

/** A page without the shell: one sheet in the middle. */
export function CenteredPage({ children }: { children: ReactNode }) {
  return <main className={classes.root}>{children}</main>;
}

/** The sheet before it is known what stands on it. */
export function CenteredPageSkeleton() {
  return (
    <main className={classes.root} aria-busy="true" aria-label="Loading">
      <Skeleton height={320} width="min(100%, 460px)" radius="lg" />
    </main>
  );
}
