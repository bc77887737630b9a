import { Kbd, Skeleton, Stack, UnstyledButton } from '@mantine/core';
import { useHotkeys, useNetwork } from '@mantine/hooks';
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { IconDots, IconSearch } from '../components/icons';
import { Logo } from '../components/logo';
import { Announcements } from '../features/announcements/announcements';
import { AccountTrouble } from '../features/purchases/account-trouble';
import { AccountMenu } from '../features/session/account-menu';
import { FreshProof } from '../features/session/fresh-proof';
import { isPageHeld } from '../lib/forms/held-page';
import { loadInTheEnd, loadSoon, tellMissingCode } from '../lib/load-in-the-end';
import { type Destination, destinations, modelPageCount } from './destinations';
import { findPageHeading } from './page-headings';
import { paths } from './paths';
import classes from './shell.module.css';

const loadPalette = () => import('../features/palette/command-palette');

/** The first page is there and at rest by then. */
const bellAfterMs = 2_500;

const NoticeBell = lazy(async () => {
  await new Promise((resolve) => setTimeout(resolve, bellAfterMs));
  const { NoticeBell } = await loadInTheEnd(() => import('../features/notices/notice-bell'));
  return { default: NoticeBell };
});

const onPhoneBar = 4;
const moreId = 'more-pages';
const [mainPages, accountPages] = [destinations.slice(0, modelPageCount), destinations.slice(modelPageCount)];

/** The frame of the signed-in pages: navigation at the side on wide screens, at the bottom on phones. */
export function Shell({ children }: { children: ReactNode }) {
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
        <PaletteButton />
        <div className={classes.tools}>
          <Suspense fallback={<span className={classes.tool} />}>
            <NoticeBell />
          </Suspense>
          <ColorSchemeToggle />
          <AccountMenu />
        </div>
      </header>
      <nav className={classes.navigation} aria-label="Main">
        <div className={classes.side}>
          <DestinationList destinations={mainPages} />
          <DestinationList destinations={accountPages} />
        </div>
        <div className={classes.bottom}>
          <DestinationList destinations={destinations.slice(0, onPhoneBar)} />
          <MorePages />
        </div>
      </nav>
      <main id="content" tabIndex={-1} className={classes.main}>
        {!online && (
          <p className={classes.offline} role="status">
            You are offline. What you see may be out of date. It updates when you are back online.
          </p>
        )}
        <Announcements />
        <AccountTrouble />
        {children}
      </main>
      <FreshProof />
    </div>
  );
}

function DestinationList({ destinations: listed }: { destinations: readonly Destination[] }) {
  return (
    <ul>
      {listed.map(({ to, label, Icon }) => (
        <li key={to}>
          <NavLink to={to} end={to === paths.overview()} className={classes.destination ?? ''}>
            <Icon size={19} stroke={1.75} aria-hidden />
            <span>{label}</span>
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

/** On phones: the pages that the bar has no room for. The browser's own popover closes on Escape and on a press elsewhere. */
function MorePages() {
  const sheetRef = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet closes whenever a page was chosen on it
  useEffect(() => {
    if (sheetRef.current?.matches(':popover-open')) sheetRef.current.hidePopover();
  }, [pathname]);
  return (
    <>
      <UnstyledButton popoverTarget={moreId} className={classes.destination}>
        <IconDots size={19} stroke={1.75} aria-hidden />
        <span>More</span>
      </UnstyledButton>
      <div id={moreId} ref={sheetRef} popover="auto" className={classes.sheet}>
        <DestinationList destinations={destinations.slice(onPhoneBar)} />
      </div>
    </>
  );
}

/** Opens the command palette, as Ctrl+K does; its code is fetched the first time. */
function PaletteButton() {
  const [timesAsked, setTimesAsked] = useState(0);
  const [Palette, setPalette] = useState<ComponentType<{ timesAsked: number }> | null>(null);
  const ask = () => {
    // It leads to other pages.
    if (isPageHeld()) return;
    setTimesAsked((times) => times + 1);
    if (Palette === null) loadSoon(loadPalette).then((code) => setPalette(() => code.default), tellMissingCode);
  };
  useHotkeys([['mod+K', ask]], []);
  return (
    <>
      <UnstyledButton className={classes.palette} onClick={ask} aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={16} aria-hidden />
        <span>Search or jump to …</span>
        <Kbd size="xs" aria-hidden>
          {/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'} K
        </Kbd>
      </UnstyledButton>
      {Palette && <Palette timesAsked={timesAsked} />}
    </>
  );
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

/** A page before its code has arrived, with its heading where that is known. */
export function PageSkeleton() {
  const heading = findPageHeading(useLocation().pathname);
  return (
    <Stack gap="lg" aria-hidden="true">
      {heading === null ? (
        <Skeleton height={36} width={220} />
      ) : (
        <div className="first-frame-heading">
          <strong>{heading.title}</strong>
          <p>{heading.description}</p>
        </div>
      )}
      <Skeleton height={220} radius="lg" />
      <Skeleton height={280} radius="lg" />
    </Stack>
  );
}
