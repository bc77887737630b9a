import { Group, Stack, Text } from '@mantine/core';
import { paths } from '../app/paths';
import { useSignOut } from '../lib/session/use-leave-session';
import { LoadingButton } from './buttons/loading-button';
import { LinkButton } from './link-button';

interface SignedInAsProps {
  email: string;
  /** Where one goes on, signed out. */
  to: string;
  label?: string;
}

/** Says that somebody else is signed in in this browser than a link was mailed to, and leads out of their session. */
export function SignedInAs({ email, to, label = 'Sign out and continue' }: SignedInAsProps) {
  const { isLeaving, signOut } = useSignOut();
  return (
    <Stack gap="sm" align="flex-start">
      <Text role="status">You are signed in as {email}.</Text>
      <Group gap="sm">
        <LoadingButton loading={isLeaving} onClick={() => void signOut(to)}>
          {label}
        </LoadingButton>
        <LinkButton to={paths.overview()} variant="default">
          To your account
        </LinkButton>
      </Group>
    </Stack>
  );
}
