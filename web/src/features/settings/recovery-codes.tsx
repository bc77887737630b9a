import { useMutation, useQuery } from '@apollo/client/react';
import { Alert, Button, Modal, Skeleton, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { FactorsDocument } from './factors-document';
import classes from './settings.module.css';

const RecoveryCodeList = lazy(() => import('./recovery-code-list'));

const CancelFactorRecoveryDocument = graphql(`
  mutation CancelFactorRecovery {
    cancelFactorRecovery
  }
`);

const RenewRecoveryCodesDocument = graphql(`
  mutation RenewRecoveryCodes {
    renewRecoveryCodes
  }
`);

/** How many recovery codes are left, and new ones; nothing where no factor needs them. */
export function RecoveryCodes() {
  const { data } = useQuery(FactorsDocument);
  const tellFailure = useTellFailure();
  const [renewCodes, { loading }] = useMutation(RenewRecoveryCodesDocument, { refetchQueries: ['Factors'] });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const factors = data?.factors;
  if (!factors || (factors.authenticatorAppSince === null && factors.passkeys.length === 0)) return null;

  async function renew() {
    try {
      const { data: renewed } = await renewCodes();
      setCodes(renewed?.renewRecoveryCodes ?? null);
    } catch (failure) {
      tellFailure(failure, {
        refused: 'The codes stay as they were',
        whether: 'whether your recovery codes were replaced',
        remedy: 'Make new codes again: you are shown them, and those before are worth nothing.',
      });
    }
  }

  return (
    <SectionCard title="Recovery codes" description="For the day when your app or passkey is lost; each is good once.">
      {factors.recoveryDueAt !== null && <RecoveryWait dueAt={factors.recoveryDueAt} />}
      <div className={classes.action}>
        <Text size="sm">{factors.recoveryCodesLeft} of 10 recovery codes left.</Text>
        <Button variant="default" disabled={loading} onClick={() => void renew()}>
          New recovery codes
        </Button>
      </div>
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
    </SectionCard>
  );
}

function RecoveryWait({ dueAt }: { dueAt: string }) {
  const tellFailure = useTellFailure();
  const [cancel, { loading }] = useMutation(CancelFactorRecoveryDocument, { refetchQueries: ['Factors'] });

  async function keepFactors() {
    try {
      await cancel();
      notifications.show({ title: 'Your factors stay', message: 'Change your password if it was not you who asked.' });
    } catch (failure) {
      tellFailure(failure, { refused: 'The wait goes on', whether: 'whether the wait has ended' });
    }
  }

  return (
    <Alert color="red" title="All factors are about to be removed" mb="md">
      <Text size="sm" mb="sm">
        Somebody with your password and your mail has said that they are lost. They go on {formatAbsoluteTime(dueAt)}.
      </Text>
      <Button variant="default" disabled={loading} onClick={() => void keepFactors()}>
        Keep them
      </Button>
    </Alert>
  );
}
