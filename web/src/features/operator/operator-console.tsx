import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Skeleton, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { NavLink, useLocation, useMatch } from 'react-router';
import { pathPatterns, paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { ColorSchemeToggle } from '../../components/color-scheme-toggle';
import { ErrorPanel } from '../../components/error-panel';
import { Logo } from '../../components/logo';
import { graphql } from '../../gql';
import { forgetFormsOf, KeptFormOwner } from '../../lib/forms/use-kept-form';
import { AbusePage } from './accounts/abuse-page';
import { AccountPage } from './accounts/account-page';
import { AccountSearch } from './accounts/account-search';
import { PricesPage } from './catalogue/prices-page';
import { ProvidersPage } from './catalogue/providers-page';
import { LogPage } from './log-page';
import { MoneyPage } from './money/money-page';
import classes from './operator.module.css';
import { OperatorJoin } from './people/operator-join';
import { OperatorSignIn } from './people/operator-sign-in';
import { PeoplePage } from './people/people-page';
import { SetupPage } from './setup-page';
import { WatchPage } from './watch-page';

export const OperatorMeDocument = graphql(`
  query OperatorMe {
    operator {
      me {
        id
        name
        role
        may
      }
    }
  }
`);

const SignOutDocument = graphql(`
  mutation OperatorSignOut {
    operator {
      signOut
    }
  }
`);

/** What this operator may ask, by name, so that no button is shown that would be refused. */
export type May = (operation: string) => boolean;

/** The console: signing in, and the page of the address. */
export function OperatorConsole() {
  const { pathname } = useLocation();
  const { data, error, refetch } = useQuery(OperatorMeDocument);
  const enter = async () => {
    await refetch();
  };
  if (pathname === pathPatterns.operatorJoin) {
    return (
      <Outside title="Join as an operator">
        <OperatorJoin onIn={enter} />
      </Outside>
    );
  }
  if (error && !data) {
    return (
      <Outside title="Operators">
        <ErrorPanel title="The console could not be loaded" error={error} onRetry={refetch} />
      </Outside>
    );
  }
  if (!data) return <Outside title="Operators" isWaiting />;
  const { me } = data.operator;
  if (me === null || me === undefined) {
    return (
      <Outside title="Operators: sign in">
        <OperatorSignIn onIn={enter} />
      </Outside>
    );
  }
  const owner = `operator ${me.id}`;
  return (
    <KeptFormOwner value={owner}>
      <Inside owner={owner} name={me.name} may={(operation) => me.may.includes(operation)} />
    </KeptFormOwner>
  );
}

function Outside({ title, children, isWaiting = false }: { title: string; children?: ReactNode; isWaiting?: boolean }) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <main className={classes.narrow} tabIndex={-1} aria-busy={isWaiting}>
      <Logo />
      <Title order={1} my="lg">
        {title}
      </Title>
      {isWaiting ? <Skeleton height={240} /> : children}
    </main>
  );
}

const destinations: readonly { to: string; label: string; needs?: string }[] = [
  { to: paths.operator(), label: 'Overview' },
  { to: paths.operatorMoney(), label: 'Money', needs: 'money' },
  { to: paths.operatorWatch(), label: 'Watching' },
  { to: paths.operatorProviders(), label: 'Providers' },
  { to: paths.operatorPrices(), label: 'Prices' },
  { to: paths.operatorAbuse(), label: 'Abuse' },
  { to: paths.operatorSetup(), label: 'Setup', needs: 'setup' },
  { to: paths.operatorLog(), label: 'Log' },
  { to: paths.operatorPeople(), label: 'Operators' },
];

function Inside({ owner, name, may }: { owner: string; name: string; may: May }) {
  const shown = destinations.filter(({ needs }) => needs === undefined || may(needs));
  const client = useApolloClient();
  const [signOut, { loading }] = useMutation(SignOutDocument);
  const leave = async () => {
    try {
      await signOut();
    } finally {
      forgetFormsOf(owner);
      await client.resetStore();
    }
  };
  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <Logo />
        <Navigation shown={shown} />
        <div className={classes.tools}>
          <span>{name}</span>
          <BusyButton variant="default" size="xs" isBusy={loading} onClick={() => void leave().catch(() => undefined)}>
            Sign out
          </BusyButton>
          <ColorSchemeToggle />
        </div>
      </header>
      <main id="content" tabIndex={-1} className={classes.main}>
        <PageOfAddress may={may} />
      </main>
    </div>
  );
}

/** On a phone it is one line, wider than the window, with the current page in its middle. */
function Navigation({ shown }: { shown: typeof destinations }) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is the current one
  useEffect(() => {
    const [line, current] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current=page]')];
    if (line && current) line.scrollLeft = current.offsetLeft - (line.clientWidth - current.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={nav} className={classes.navigation} aria-label="Console">
      <ul>
        {shown.map(({ to, label }) => (
          <li key={to}>
            <NavLink to={to} end>
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PageOfAddress({ may }: { may: May }) {
  const { pathname } = useLocation();
  const account = useMatch(pathPatterns.operatorAccount);
  if (account?.params.accountId) {
    return <AccountPage key={account.params.accountId} accountId={account.params.accountId} may={may} />;
  }
  if (pathname.startsWith(pathPatterns.operatorMoney) && may('money')) return <MoneyPage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorWatch)) return <WatchPage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorProviders)) return <ProvidersPage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorPrices)) return <PricesPage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorAbuse)) return <AbusePage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorSetup) && may('setup')) return <SetupPage may={may} />;
  if (pathname.startsWith(pathPatterns.operatorLog)) return <LogPage />;
  if (pathname.startsWith(pathPatterns.operatorPeople)) return <PeoplePage may={may} />;
  return <AccountSearch may={may} />;
}
