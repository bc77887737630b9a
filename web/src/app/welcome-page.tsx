import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { Logo } from '../components/logo';
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
            Prepaid, so there is no bill to fear. A call that produced nothing is free, and nobody is charged twice for
            one answer.
          </p>
        </div>
      </aside>
    </div>
  );
}

function SampleReceipt() {
  return (
    <dl className={classes.receipt} aria-label="Sample receipt">
      <div>
        <dt>812 tokens in</dt>
        <dd>0.812</dd>
      </div>
      <div>
        <dt>344 tokens out</dt>
        <dd>0.344</dd>
      </div>
      <div className={classes.total}>
        <dt>Credits charged</dt>
        <dd>1.156</dd>
      </div>
      <div className={classes.inDollars}>
        <dt>That is</dt>
        <dd>about a tenth of a cent</dd>
      </div>
    </dl>
  );
}
