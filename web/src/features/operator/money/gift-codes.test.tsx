/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { type Answer, answerLost, renderPage } from '../../../test/render-page';
import { GiftCodes } from './gift-codes';

const inOperator = (part: object) => ({ data: { operator: { __typename: 'OperatorMutation', ...part } } });
const listed = { OperatorGiftCodes: () => inOperator({ giftCodes: [] }) };

describe('The gift codes of operators', () => {
  it('are asked for under the same word until their answer has come, also in a new dialog, and are shown then', async () => {
    const made: Answer = () =>
      inOperator({ createGiftCodes: [{ __typename: 'OperatorMadeGiftCode', code: 'ABCDE-FGHJK-MNPQR-STVWX' }] });
    const { asked, user } = renderPage(<GiftCodes may={() => true} />, {
      ...listed,
      OperatorCreateGiftCodes: answerLost(2, made),
    });
    const open = () => user.click(screen.getByRole('button', { name: 'Create gift codes' }));
    const fill = async () => {
      await user.type(screen.getByLabelText(/^Credits/), '500');
      await user.type(screen.getByLabelText(/^Reason/), 'Spring campaign');
    };
    const press = () => user.click(screen.getByText('Create gift codes', { selector: 'form button *' }));
    await open();
    await fill();
    await press();
    await screen.findByText(/We could not confirm whether this was done/);
    await press();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await open();
    await screen.findByText(/The answer to your last try was lost/);
    await fill();
    await press();
    await screen.findByText('ABCDE-FGHJK-MNPQR-STVWX');
    const orders = asked.filter(({ name }) => name === 'OperatorCreateGiftCodes');
    const words = orders.map(({ variables }) => (variables.input as { once?: string }).once);
    expect(words).toHaveLength(3);
    expect(words[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(words).size).toBe(1);
  });
});
