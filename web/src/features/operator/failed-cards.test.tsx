/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Answer, renderPage } from '../../test/render-page';
import { MarkedAccounts } from './accounts/marked-accounts';
import { SignUpBlocks } from './accounts/sign-up-blocks';
import { SignUpCard } from './accounts/sign-up-card';
import { AnnouncementCard } from './announcement-card';
import { AttentionCard } from './attention-card';
import { LogPage } from './log-page';
import { CreditRequests } from './money/credit-requests';
import { GiftCodes } from './money/gift-codes';
import { PaymentFaults } from './money/payment-faults';
import { RefundRequests } from './money/refund-requests';
import { RefusedSettlements } from './money/refused-settlements';
import { RetentionCard } from './retention-card';

const may = () => true;
const cards: readonly [string, ReactNode][] = [
  ['OperatorAttention', <AttentionCard key="attention" />],
  ['OperatorRiskMarks', <MarkedAccounts key="marks" />],
  ['OperatorSignUpBlocks', <SignUpBlocks key="blocks" may={may} />],
  ['OperatorSignUp', <SignUpCard key="sign-up" may={may} />],
  ['OperatorAnnouncements', <AnnouncementCard key="announcements" may={may} />],
  ['OperatorCreditRequests', <CreditRequests key="credits" may={may} />],
  ['OperatorGiftCodes', <GiftCodes key="codes" may={may} />],
  ['OperatorPaymentFaults', <PaymentFaults key="payments" may={may} />],
  ['OperatorRefundRequests', <RefundRequests key="refunds" may={may} />],
  ['OperatorQuarantinedSettlements', <RefusedSettlements key="settlements" may={may} />],
  ['OperatorDataRetention', <RetentionCard key="retention" may={may} />],
];

describe('A card of the console', () => {
  it.each(cards)('whose answer does not come says so, and not that there is nothing: %s', async (_, card) => {
    const { user, asked } = renderPage(card);
    await screen.findByText(/could not be loaded$/);
    expect(screen.queryByText(/^None|^Nothing|^Not compared/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(asked).toHaveLength(2);
  });
});

describe('The log of operators', () => {
  const linesOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ __typename: 'OperatorChange', id: `line_${from + at}`, at: '2026-01-01T00:00:00Z', actor: 'Ada' },
      ...{ action: 'freeze_account', accountId: null, subject: null, amount: null, reason: `Ticket ${from + at}` },
    }));

  it('goes on behind its newest hundred lines, as far as there are any', async () => {
    const operator = (log: readonly object[]) => ({ data: { operator: { __typename: 'OperatorQuery', log } } });
    const tell: Answer = ({ before }) => operator(before === undefined ? linesOf(1, 100) : linesOf(101, 5));
    const { user, asked } = renderPage(<LogPage />, Object.fromEntries([['OperatorLog', tell]]));
    await user.click(await screen.findByRole('button', { name: 'Load more lines' }));
    await screen.findByText('Ticket 105');
    screen.getByText('Ticket 1');
    expect(screen.queryByRole('button', { name: 'Load more lines' })).toBeNull();
    expect(asked.map(({ variables }) => variables.before)).toEqual([undefined, 'line_100']);
  });
});
