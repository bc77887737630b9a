import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { Logo } from '../components/logo';
import { SampleReceipt } from '../components/sample-receipt';
import classes from './welcome-page.module.css';

interface WelcomePageProps {
  title: string;
  children: ReactNode;
}

/** The frame of sign-in and sign-up: the form, and beside it what Tollgate is. */
export function WelcomePage({ title, children }: WelcomePageProps) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <div className={classes.frame}>
      <main className={classes.form}>
        <div className={classes.top}>
          <Logo />
          <ColorSchemeToggle />
        </div>
        <div className={classes.body}>
          <Title order={1} mb="lg">
            {title}
          </Title>
          {children}
        </div>
      </main>
      <aside className={classes.pitch} aria-label="About Tollgate">
        <div className={classes.stripes} aria-hidden="true" />
        <div className={classes.pitchBody}>
          <p className={classes.claim}>One key for many AI models, billed to the token.</p>
          <SampleReceipt />
          <p className={classes.promise}>
            Prepaid, so there is never a surprise bill. A call that produced nothing is free, and nobody is charged
            twice for one answer.
          </p>
        </div>
      </aside>
    </div>
  );
}
