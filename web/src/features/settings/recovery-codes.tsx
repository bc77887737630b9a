import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Modal, Skeleton, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import { FactorsDocument } from './factors-document';
import classes from './settings.module.css';

const RecoveryCodeList = lazy(() => import('./recovery-code-list'));

const RenewRecoveryCodesDocument = graphql(`
  mutation RenewRecoveryCodes {
    renewRecoveryCodes
  }
`);

/** How many recovery codes are left, and new ones; nothing where no factor needs them. */
export function RecoveryCodes() {
  const { data } = useQuery(FactorsDocument);
  const [renewCodes, { loading }] = useMutation(RenewRecoveryCodesDocument, { refetchQueries: ['Factors'] });
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const factors = data?.factors;
  if (!factors || (factors.authenticatorAppSince === null && factors.passkeys.length === 0)) return null;

  async function renew() {
    try {
      const { data: renewed } = await renewCodes();
      setCodes(renewed?.renewRecoveryCodes ?? null);
    } catch (failure) {
      notifications.show({ color: 'red', title: 'The codes stay as they were', message: graphqlErrorMessage(failure) });
    }
  }

  return (
    <SectionCard title="Recovery codes" description="For the day when your app or passkey is lost; each is good once.">
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
