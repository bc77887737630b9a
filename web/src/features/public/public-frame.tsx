import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths, serverPaths } from '../../app/paths';
import { ColorSchemeToggle } from '../../components/color-scheme-toggle';
import { LinkButton } from '../../components/link-button';
import { Logo } from '../../components/logo';
import { PublicPages } from '../../components/public-pages';
import classes from './public-frame.module.css';

/** The frame of pages that anybody may see, for whoever is not signed in. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className={classes.page}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className={classes.header}>
        <Link to={paths.overview()} className={classes.home} aria-label="Tollgate, home">
          <Logo />
        </Link>
        <PublicPages className={classes.pages} />
        <div className={classes.tools}>
          <ColorSchemeToggle />
          <LinkButton to={paths.signIn()} variant="subtle">
            Sign in
          </LinkButton>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      <footer className={classes.footer}>
        <Link to={paths.signUp()}>Create an account</Link>
        <a href={serverPaths.openapi()}>OpenAPI</a>
        <a href={serverPaths.schemaPage()}>GraphQL</a>
      </footer>
    </div>
  );
}
