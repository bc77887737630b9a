import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconLogout } from '@tabler/icons-react';
import { paths } from '../../app/paths';
import { graphql } from '../../gql';
import { useFreshSecrets } from '../../lib/fresh-secrets';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import classes from './account-menu.module.css';

const AccountMenuDocument = graphql(`
  query AccountMenu {
    viewer {
      id
      email
      name
    }
  }
`);

const SignOutDocument = graphql(`
  mutation SignOut {
    signOut
  }
`);

const menuId = 'account-menu';

/** Who is signed in, and the way out. */
export function AccountMenu() {
  // Its answer comes with the one that the session gate waits for.
  const { data } = useQuery(AccountMenuDocument, { fetchPolicy: 'cache-only' });
  const [signOut] = useMutation(SignOutDocument);
  const { forgetSecrets } = useFreshSecrets();
  const viewer = data?.viewer;
  if (!viewer) return null;

  const initial = viewer.name.trim().charAt(0).toUpperCase() || '?';
  async function leave() {
    try {
      await signOut();
      forgetSecrets();
      // Drafts of this tab as well.
      sessionStorage.clear();
      // A whole new page: nothing of this session stays in memory.
      window.location.assign(paths.signIn());
    } catch (error) {
      notifications.show({ color: 'red', title: 'You are still signed in', message: graphqlErrorMessage(error) });
    }
  }

  return (
    <>
      <UnstyledButton className={classes.target} popoverTarget={menuId}>
        <span className={classes.initial} data-initial={initial} aria-hidden="true" />
        <VisuallyHidden>Account of</VisuallyHidden>
        <span className={classes.name}>{viewer.name}</span>
        <IconChevronDown size={16} aria-hidden />
      </UnstyledButton>
      {/* The browser's own popover: it closes on Escape and on a click elsewhere, and needs no code. */}
      <div id={menuId} popover="auto" className={classes.menu}>
        <Text fw={600} truncate>
          {viewer.name}
        </Text>
        <Text size="sm" c="dimmed" truncate mb="sm">
          {viewer.email}
        </Text>
        <Button
          variant="default"
          fullWidth
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => void leave()}
        >
          Sign out
        </Button>
      </div>
    </>
  );
}
