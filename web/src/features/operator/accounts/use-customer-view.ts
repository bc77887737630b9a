import { useMutation } from '@apollo/client/react';
import { paths } from '../../../app/paths';
import { graphql } from '../../../gql';
import { keepCustomerView } from '../../../lib/session/customer-view';
import type { Act } from '../act-dialog';

const BeginDocument = graphql(`
  mutation OperatorBeginCustomerView($input: OperatorCustomerViewInput!) {
    operator {
      beginCustomerView(input: $input) {
        id
      }
    }
  }
`);

/** Shows the customer's dashboard in this tab, read only. */
export function useCustomerView(accountId: string, email: string): Act {
  const [begin] = useMutation(BeginDocument);
  return {
    label: 'Look as this customer',
    words:
      'This tab shows their dashboard as they see it, for up to 30 minutes. You cannot change anything, and no secrets are shown.',
    fields: [
      {
        name: 'isTold',
        label: 'Notify the customer',
        description: 'By e-mail, and in the activity on their settings page. They do not see the reason.',
        isTick: true,
      },
    ],
    run: async ({ reason, values }) => {
      const input = { accountId, isTold: values.isTold === 'yes', reason };
      const { data } = await begin({ variables: { input } });
      if (!data) return null;
      keepCustomerView({ id: data.operator.beginCustomerView.id, accountId, email });
      // A whole new page, which asks as the customer.
      window.location.assign(paths.overview());
      return null;
    },
  };
}
