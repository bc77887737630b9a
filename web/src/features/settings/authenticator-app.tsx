import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatDay } from '../../lib/format-time';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import classes from './settings.module.css';

const NewAuthenticatorApp = lazy(() => import('./new-authenticator-app'));
const RecoveryCodeList = lazy(() => import('./recovery-code-list'));

const FactorsDocument = graphql(`
  query Factors {
    factors {
      authenticatorAppSince
      recoveryCodesLeft
    }
  }
`);

const RemoveAuthenticatorAppDocument = graphql(`
  mutation RemoveAuthenticatorApp {
    removeAuthenticatorApp
  }
`);

const RenewRecoveryCodesDocument = graphql(`
  mutation RenewRecoveryCodes {
    renewRecoveryCodes
  }
`);

/** The second factor of the account: an authenticator app, and the codes for the day when it is lost. */
export function AuthenticatorApp() {
  const { data, error, refetch } = useQuery(FactorsDocument, { fetchPolicy: 'cache-and-network' });
  const [isSettingUp, dialog] = useDisclosure(false);
  if (!data) {
    if (error) return <ErrorPanel title="Your second factor could not be loaded" error={error} onRetry={refetch} />;
    return <Skeleton height={120} radius="lg" aria-hidden="true" />;
  }
  const { authenticatorAppSince: since, recoveryCodesLeft } = data.factors;
  return (
    <SectionCard
      title="Authenticator app"
      description="A sign-in then asks for a code of the app, too, so that a stolen password opens nothing."
    >
      {since === null ? (
        <Button variant="default" onClick={dialog.open}>
          Set up an app
        </Button>
      ) : (
        <AppInForce since={since} codesLeft={recoveryCodesLeft} />
      )}
      <Modal
        opened={isSettingUp}
        onClose={dialog.close}
        title="Set up an authenticator app"
        closeOnClickOutside={false}
      >
        <Suspense fallback={<Skeleton height={240} />}>
          <NewAuthenticatorApp onDone={dialog.close} />
        </Suspense>
      </Modal>
    </SectionCard>
  );
}

function AppInForce({ since, codesLeft }: { since: string; codesLeft: number }) {
  const refetchQueries = ['Factors'];
  const [removeApp, { loading: isRemoving }] = useMutation(RemoveAuthenticatorAppDocument, { refetchQueries });
  const [renewCodes, { loading: isRenewing }] = useMutation(RenewRecoveryCodesDocument, { refetchQueries });
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  async function remove() {
    try {
      await removeApp();
      notifications.show({ title: 'App removed', message: 'Your password alone signs you in again.' });
    } catch (failure) {
      notifications.show({ color: 'red', title: 'The app stays', message: graphqlErrorMessage(failure) });
    }
  }

  async function renew() {
    try {
      const { data } = await renewCodes();
      setCodes(data?.renewRecoveryCodes ?? null);
    } catch (failure) {
      notifications.show({ color: 'red', title: 'The codes stay as they were', message: graphqlErrorMessage(failure) });
    }
  }

  return (
    <div className={classes.action}>
      <Text size="sm">
        In force since {formatDay(since)}. {codesLeft} of 10 recovery codes left.
      </Text>
      <Group>
        <Button variant="default" disabled={isRenewing} onClick={() => void renew()}>
          New recovery codes
        </Button>
        <Button variant="default" c="var(--mantine-color-error)" disabled={isRemoving} onClick={() => void remove()}>
          Remove the app
        </Button>
      </Group>
      <Modal
        opened={codes !== null}
        onClose={() => setCodes(null)}
        title="Your recovery codes"
        closeOnClickOutside={false}
      >
        <Suspense fallback={<Skeleton height={240} />}>
          <RecoveryCodeList codes={codes ?? []} onSaved={() => setCodes(null)} />
        </Suspense>
      </Modal>
    </div>
  );
}
