import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import { formatCredits } from '../../../lib/format/format-credits';
import type { Act } from '../act-dialog';
import { readAgain } from '../read-again';

const DeleteAccountDocument = graphql(`
  mutation OperatorDeleteAccount($input: OperatorAccountDeletionInput!) {
    operator {
      deleteAccount(input: $input)
    }
  }
`);

/** Deletes an account for ever. @param credits What it has, reserved credits included; where there are any, it is asked whether they may be lost. */
export function useDeleteAccount(accountId: string, credits: number, onDone: () => Promise<unknown>): Act {
  const [deleteAccount] = useMutation(DeleteAccountDocument);
  return {
    label: 'Delete',
    words:
      'Permanent: no more calls or sign-ins, and personal data is removed. The books stay. Running calls finish and are billed.',
    isDangerous: true,
    fields: [
      {
        name: 'email',
        label: 'E-mail of the account',
        description: 'As shown on this page, so that no other account is deleted by mistake.',
      },
      ...(credits > 0
        ? [{ name: 'forfeits', label: `${formatCredits(credits)} credits may be lost`, isTick: true }]
        : []),
    ],
    run: async ({ reason, values }) => {
      const input = { accountId, reason, email: values.email ?? '', forfeitsCredits: values.forfeits === 'yes' };
      await deleteAccount({ variables: { input } });
      return readAgain(onDone);
    },
  };
}
