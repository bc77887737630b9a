import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../../gql';
import { useTellFailure } from '../../lib/forms/lost-answers';

const RenewRecoveryCodesDocument = graphql(`
  mutation RenewRecoveryCodes {
    renewRecoveryCodes
  }
`);

/** Replaces the recovery codes. `codes` are new ones, to be shown until they are forgotten; null: there are none to show. */
export function useRenewCodes() {
  const tellFailure = useTellFailure();
  const [renewCodes, { loading }] = useMutation(RenewRecoveryCodesDocument, { refetchQueries: ['Factors'] });
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  async function renew() {
    try {
      const { data } = await renewCodes();
      setCodes(data?.renewRecoveryCodes ?? null);
    } catch (failure) {
      tellFailure(failure, {
        refused: 'No new codes were created',
        whether: 'whether your recovery codes were replaced',
        remedy: 'Create new codes again. You will see them, and the earlier ones stop working.',
      });
    }
  }
  return { codes, renew, isRenewing: loading, forget: () => setCodes(null) };
}
