import { useMutation, useQuery } from '@apollo/client/react';
import { Alert, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { BusyButton } from '../../components/buttons/busy-button';
import { ConfirmModal } from '../../components/forms/confirm-modal';
import { SectionCard } from '../../components/section-card';
import { ShownOnceModal } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { FactorsDocument } from './factors-document';
import { RecoveryCodeList } from './recovery-code-list';
import classes from './settings.module.css';
import { useRenewCodes } from './use-renew-codes';

const CancelFactorRecoveryDocument = graphql(`
  mutation CancelFactorRecovery {
    cancelFactorRecovery
  }
`);

/** How many recovery codes are left, and new ones; nothing where no factor needs them. */
export function RecoveryCodes() {
  const { data } = useQuery(FactorsDocument);
  const { codes, renew, isRenewing, forget } = useRenewCodes();
  const [isAsking, question] = useDisclosure(false);
  const factors = data?.factors;
  if (!factors || (factors.authenticatorAppSince === null && factors.passkeys.length === 0)) return null;

  return (
    <SectionCard title="Recovery codes" description="For when your app or passkey is lost. Each works once.">
      {factors.recoveryDueAt !== null && <RecoveryWait dueAt={factors.recoveryDueAt} />}
      <div className={classes.action}>
        <Text size="sm">{factors.recoveryCodesLeft} of 10 recovery codes left.</Text>
        <BusyButton variant="default" isBusy={isRenewing} onClick={question.open}>
          New recovery codes
        </BusyButton>
      </div>
      {isAsking && (
        <ConfirmModal
          title="Create new recovery codes?"
          words="The codes that you have saved stop working immediately, whether or not you save the new ones."
          button="Create new codes"
          onConfirm={() => void renew()}
          onClose={question.close}
        />
      )}
      <ShownOnceModal opened={codes !== null} onClose={forget} title="Your recovery codes">
        <RecoveryCodeList codes={codes ?? []} onSaved={forget} />
      </ShownOnceModal>
    </SectionCard>
  );
}

function RecoveryWait({ dueAt }: { dueAt: string }) {
  const tellFailure = useTellFailure();
  const [cancel, { loading }] = useMutation(CancelFactorRecoveryDocument, { refetchQueries: ['Factors'] });

  async function keepFactors() {
    try {
      await cancel();
      notifications.show({
        title: 'Your factors were kept',
        message: 'If it was not you who asked, change your password.',
      });
    } catch (failure) {
      tellFailure(failure, { refused: 'The removal was not cancelled', whether: 'whether the removal was cancelled' });
    }
  }

  return (
    <Alert color="red" title="All second factors are about to be removed" mb="md">
      <Text size="sm" mb="sm">
        Somebody with your password and access to your e-mail says they are lost. They are removed on{' '}
        {formatAbsoluteTime(dueAt)}.
      </Text>
      <BusyButton variant="default" isBusy={loading} onClick={() => void keepFactors()}>
        Keep them
      </BusyButton>
    </Alert>
  );
}
