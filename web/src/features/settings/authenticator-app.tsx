import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import { SectionCard } from '../../components/section-card';
import { ShownOnceModal } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { formatDay } from '../../lib/format/format-time';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { FactorsDocument } from './factors-document';
import classes from './settings.module.css';

const NewAuthenticatorApp = lazy(() => import('./new-authenticator-app'));

const RemoveAuthenticatorAppDocument = graphql(`
  mutation RemoveAuthenticatorApp {
    removeAuthenticatorApp
  }
`);

/** The authenticator app of the account. */
export function AuthenticatorApp() {
  const { data, error, refetch } = useQuery(FactorsDocument);
  const [isSettingUp, dialog] = useDisclosure(false);
  if (!data) {
    if (error) return <ErrorPanel title="Your second factor could not be loaded" error={error} onRetry={refetch} />;
    return <Skeleton height={120} radius="lg" aria-hidden="true" />;
  }
  const { authenticatorAppSince: since } = data.factors;
  return (
    <SectionCard
      title="Authenticator app"
      description="Signing in also asks for a code from the app, so a stolen password is not enough."
    >
      {since === null ? (
        <Button variant="default" onClick={dialog.open}>
          Set up an app
        </Button>
      ) : (
        <AppInForce since={since} />
      )}
      <ShownOnceModal
        opened={isSettingUp}
        onClose={dialog.close}
        title="Set up an authenticator app"
        closeOnClickOutside={false}
      >
        <Suspense fallback={<Skeleton height={240} />}>
          <NewAuthenticatorApp onDone={dialog.close} />
        </Suspense>
      </ShownOnceModal>
    </SectionCard>
  );
}

function AppInForce({ since }: { since: string }) {
  const tellFailure = useTellFailure();
  const [isAsking, question] = useDisclosure(false);
  const [removeApp, { loading }] = useMutation(RemoveAuthenticatorAppDocument, { refetchQueries: ['Factors'] });

  async function remove() {
    try {
      await removeApp();
      notifications.show({ title: 'App removed', message: 'You now sign in with your password alone.' });
    } catch (failure) {
      tellFailure(failure, { refused: 'The app was not removed', whether: 'whether the app was removed' });
    }
  }

  return (
    <div className={classes.action}>
      <Text size="sm">On since {formatDay(since)}.</Text>
      <BusyButton variant="default" c="var(--mantine-color-error)" isBusy={loading} onClick={question.open}>
        Remove the app
      </BusyButton>
      {isAsking && (
        <ConfirmModal
          title="Remove the authenticator app?"
          words="Signing in with your password will no longer ask for a code."
          button="Remove app"
          onConfirm={() => void remove()}
          onClose={question.close}
        />
      )}
    </div>
  );
}
