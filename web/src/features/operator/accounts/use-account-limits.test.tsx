/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import type { OperatorAccountPageQuery } from '../../../gql/graphql';
import { renderPage } from '../../../test/render-page';
import { ActDialog } from '../act-dialog';
import { useSetAccountLimits } from './use-account-limits';

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentCalls: null, keysMax: null, models: null };
const shown = { ...none, requestsPerMinute: 1_000, models: ['demo-small', 'demo-large'] };
// Another operator has lowered the rate, and taken a model away, while the dialog was open.
const present = { ...none, requestsPerMinute: 5, concurrentCalls: 2, models: ['demo-small'] };
const toAccount = (limits: object) => ({ operator: { account: { limits } } }) as unknown as OperatorAccountPageQuery;

const set = () => ({ data: { operator: { __typename: 'OperatorMutation', setAccountLimits: true } } });

function Limits({ onClose }: { onClose: () => void }) {
  const act = useSetAccountLimits('acc_1', shown, async () => ({ data: toAccount(present) }));
  const [opened] = useState(act);
  return <ActDialog act={opened} onClose={onClose} />;
}

describe('The dialog that sets limits of an account', () => {
  it('changes the limits that its operator changed, and leaves the others as another operator has set them', async () => {
    let closedCount = 0;
    const close = () => {
      closedCount += 1;
    };
    const { user, asked } = renderPage(<Limits onClose={close} />, { OperatorSetAccountLimits: set });
    await user.type(await screen.findByLabelText('Keys'), '7');
    await user.type(screen.getByLabelText(/^Reason/), 'Ticket 17');
    await user.click(screen.getByRole('button', { name: 'Set limits' }));
    await waitFor(() => expect(closedCount).toBe(1));
    expect(asked.map(({ variables }) => variables.input)).toEqual([
      { accountId: 'acc_1', reason: 'Ticket 17', ...present, keysMax: 7 },
    ]);
  });
});
