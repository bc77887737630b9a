import { useQuery } from '@apollo/client/react';
import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type ComponentProps, type ComponentType, useEffect, useState } from 'react';
import { IconChevronDown, IconLogout } from '../../components/icons';
import { graphql } from '../../gql';
import { loadInTheEnd } from '../../lib/load-in-the-end';
import { initialOf } from '../../lib/session/initial-of';
import { roleWords } from '../../lib/session/roles';
import { useSignOut } from '../../lib/session/use-leave-session';
import classes from './account-menu.module.css';

const AccountMenuDocument = graphql(`
  query AccountMenu {
    person {
      id
      email
      name
      accounts {
        accountId
        name
        role
        isCurrent
      }
    }
  }
`);

// Most people have one account, and need none of it.
const loadSwitcher = () => import('./account-switcher');

const menuId = 'account-menu';

/** Who is signed in, for which account, and the way out. */
export function AccountMenu() {
  // Its answer comes with the one that the session gate waits for.
  const { data } = useQuery(AccountMenuDocument, { fetchPolicy: 'cache-only' });
  const { signOut } = useSignOut();
  const person = data?.person;
  if (!person) return null;

  const current = person.accounts.find(({ isCurrent }) => isCurrent);
  const isAtHome = current === undefined || current.accountId === person.id;
  const initial = initialOf((current ?? person).name);

  return (
    <>
      <UnstyledButton className={classes.target} popoverTarget={menuId}>
        <span className={classes.initial} data-initial={initial} aria-hidden="true" />
        <VisuallyHidden>Account of</VisuallyHidden>
        <span className={classes.name}>{(current ?? person).name}</span>
        {!isAtHome && <VisuallyHidden>, as {roleWords[current.role]}</VisuallyHidden>}
        <IconChevronDown size={16} aria-hidden />
      </UnstyledButton>
      {/* The browser's own popover: it closes on Escape and on a click elsewhere, and needs no code. */}
      <div id={menuId} popover="auto" className={classes.menu}>
        <Text fw={600} truncate>
          {person.name}
        </Text>
        <Text size="sm" c="dimmed" truncate mb="sm">
          {person.email}
        </Text>
        {person.accounts.length > 1 && <Switcher accounts={person.accounts} />}
        <Button
          variant="default"
          fullWidth
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => void signOut()}
        >
          Sign out
        </Button>
      </div>
    </>
  );
}

type SwitcherProps = ComponentProps<Awaited<ReturnType<typeof loadSwitcher>>['default']>;

/** The other accounts. Their code comes with the frame, or later where it cannot be fetched, which is said. */
function Switcher(props: SwitcherProps) {
  const [Shown, setShown] = useState<ComponentType<SwitcherProps> | null>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    void loadInTheEnd(loadSwitcher, () => setMissing(true)).then((code) => setShown(() => code.default));
  }, []);
  if (Shown !== null) return <Shown {...props} />;
  if (!isMissing) return null;
  return (
    <Text size="sm" mb="sm" role="status">
      Your other accounts could not be loaded. Load the page anew.
    </Text>
  );
}
