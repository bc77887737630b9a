import { Skeleton, Stack } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconCoins, IconCpu, IconKey, IconLayoutDashboard, IconReceipt } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, NavLink, useLocation, useNavigationType } from 'react-router';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { Logo } from '../components/logo';
import { AccountMenu } from '../features/session/account-menu';
import { paths } from './paths';
import classes from './shell.module.css';

const destinations = [
  { to: paths.overview(), label: 'Overview', Icon: IconLayoutDashboard },
  { to: paths.keys(), label: 'Keys', Icon: IconKey },
  { to: paths.credits(), label: 'Credits', Icon: IconCoins },
  { to: paths.calls(), label: 'Calls', Icon: IconReceipt },
  { to: paths.models(), label: 'Models', Icon: IconCpu },
];

/** The frame of the signed-in pages: navigation at the side on wide screens, at the bottom on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const mainRef = useTopOnNavigation();
  const { online } = useNetwork();
  return (
    <div className={classes.frame}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <header className={classes.header}>
        <Link to={paths.overview()} className={classes.home} aria-label="Tollgate, overview">
          <Logo />
        </Link>
        <div className={classes.tools}>
          <ColorSchemeToggle />
          <AccountMenu />
        </div>
      </header>
      <nav className={classes.navigation} aria-label="Main">
        <ul>
          {destinations.map(({ to, label, Icon }) => (
            <li key={to}>
              <NavLink to={to} end className={classes.destination ?? ''}>
                <Icon size={20} stroke={1.75} aria-hidden />
                <span>{label}</span>
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" ref={mainRef} tabIndex={-1} className={classes.main}>
        {!online && (
          <p className={classes.offline} role="status">
            You are offline. What you see may be old; it renews itself when you are back.
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

/** Starts a newly opened page at its top and moves the focus there, so that a screen reader reads on in the content. */
function useTopOnNavigation() {
  const mainRef = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const navigationType = useNavigationType();
  const lastPathname = useRef(pathname);
  useEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    mainRef.current?.focus({ preventScroll: true });
    // "Back" keeps the place that the browser remembers.
    if (navigationType !== 'POP') window.scrollTo(0, 0);
  }, [pathname, navigationType]);
  return mainRef;
}

/** The frame before it is known who is there. */
export function ShellSkeleton() {
  return (
    <div className={classes.frame} aria-busy="true">
      <header className={classes.header}>
        <Logo />
      </header>
      <div className={classes.navigation} />
      <main className={classes.main} aria-label="Loading">
        <PageSkeleton />
      </main>
    </div>
  );
}

/** A page before its code has arrived. */
export function PageSkeleton() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={36} width={220} />
      <Skeleton height={220} radius="lg" />
      <Skeleton height={280} radius="lg" />
    </Stack>
  );
}
