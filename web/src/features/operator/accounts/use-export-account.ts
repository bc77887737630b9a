import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import type { Act } from '../act-dialog';
import { say } from '../act-words';

const ExportAccountDocument = graphql(`
  mutation OperatorExportAccount($input: OperatorAccountExportInput!) {
    operator {
      exportAccount(input: $input)
    }
  }
`);

/** Saves all that is known about an account, as its owner can. */
export function useExportAccount(accountId: string): Act {
  const [exportAccount] = useMutation(ExportAccountDocument);
  return {
    label: 'Export',
    words:
      'Everything known about the account, as JSON: the same as its owner can download. It is logged, and the owner is not notified.',
    run: async ({ reason }) => {
      const { data } = await exportAccount({ variables: { input: { accountId, reason } } });
      // A file, so the page stays.
      if (data) window.location.assign(data.operator.exportAccount);
      return say('The download has started.');
    },
  };
}
