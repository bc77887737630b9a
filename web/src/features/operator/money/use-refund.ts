import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import { formatCredits } from '../../../lib/format/format-credits';
import type { Act } from '../act-dialog';
import { say } from '../act-words';
import { readAgain } from '../read-again';

const RefundDocument = graphql(`
  mutation OperatorRefundPurchase($input: OperatorRefundInput!) {
    operator {
      refundPurchase(input: $input) {
        state
        cents
        credits
        fault
      }
    }
  }
`);

interface Refundable {
  readonly id: string;
  readonly cents: number;
  readonly refundedCents: number;
}

/** Gives a purchase back, all or a part; the page is read again afterwards. */
export function useRefund(onDone: () => Promise<unknown>): (purchase: Refundable) => Act {
  const [refund] = useMutation(RefundDocument);
  return ({ id, cents, refundedCents }) => ({
    label: 'Refund',
    words: `The money goes back to the payer of ${id}, and its credits are taken back. Credits that are already spent become a debt.`,
    dollarsLeft: (cents - refundedCents) / 100,
    isDangerous: true,
    madeOnce: `refund ${id}`,
    run: async ({ reason, cents: wanted, once }) => {
      const { data } = await refund({ variables: { input: { purchaseId: id, cents: wanted, reason, once } } });
      await readAgain(onDone);
      return say(describe(data?.operator.refundPurchase));
    },
  });
}

function describe(
  refund: { state: string; cents: number; credits: number; fault?: string | null } | undefined,
): string {
  if (refund?.state === 'waiting')
    return 'This is above the limit for one operator. It waits for a second one to approve.';
  if (refund?.state !== 'done' && refund?.state !== 'pending')
    return `The payment service refuses it (${refund?.fault ?? ''}). Nothing was taken.`;
  const taken = `$${(refund.cents / 100).toFixed(2)} go back, and ${formatCredits(refund.credits)} credits were taken.`;
  return refund.state === 'done' ? `Done. ${taken}` : `${taken} The refund is on its way, and can still fail.`;
}
