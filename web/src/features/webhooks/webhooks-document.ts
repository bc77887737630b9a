import { graphql } from '../../gql';
import type { WebhookEndpointsQuery, WebhookEvent } from '../../gql/graphql';

/** The endpoints, and the webhook of the balance alert beside them. */
export const WebhookEndpointsDocument = graphql(`
  query WebhookEndpoints {
    webhookEndpoints {
      id
      name
      url
      secret
      events
      isOn
    }
    balanceAlert {
      webhookUrl
      use
    }
  }
`);

export type Endpoint = WebhookEndpointsQuery['webhookEndpoints'][number];

export const endpointsMax = 5;

/** What each event is called, and its word in the messages. */
export const eventWords: Readonly<Record<WebhookEvent, { readonly label: string; readonly type: string }>> = {
  BALANCE_LOW: { label: 'Low balance', type: 'balance.low' },
  BALANCE_USED: { label: 'Balance at 50, 80, 100 %', type: 'balance.used' },
  BUDGET_USED: { label: 'Budget at 50, 80, 100 %', type: 'budget.used' },
  SPENDING_SPIKE: { label: 'Spending spike', type: 'spending.spike' },
  CALL_COMPLETED: { label: 'Completed calls', type: 'call.completed' },
  CALL_FAILED: { label: 'Failed calls', type: 'call.failed' },
  CALL_REFUSED: { label: 'Refused requests', type: 'call.refused' },
};
