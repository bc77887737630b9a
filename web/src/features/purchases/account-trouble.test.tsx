/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { Shell } from '../../app/shell';
import { renderPage } from '../../test/render-page';

function open(trouble: object) {
  const viewer = { __typename: 'Account', id: 'acc_1', debt: 0, isFrozen: false, frozenFor: [], ...trouble };
  const answers = Object.fromEntries([['AccountTrouble', () => ({ data: { viewer } })]]);
  return renderPage(<Shell>Any page</Shell>, answers);
}

describe('What keeps an account from making calls', () => {
  it.each([
    ['frozen for a dispute', { isFrozen: true, frozenFor: ['DISPUTE'] }, /Your bank disputes/],
    ['frozen by the auditor', { isFrozen: true, frozenFor: ['AUDIT'] }, /did not add up/],
    [
      'frozen by an operator',
      { isFrozen: true, frozenFor: ['OPERATOR'] },
      /The operator of this server has stopped it/,
    ],
    ['in debt', { debt: 500 }, /You owe 500 credits/],
  ])('is told above every page of an account that is %s', async (_state, trouble, words) => {
    open(trouble);
    await screen.findByText(words);
    expect(screen.queryByText('Any page')).not.toBeNull();
  });
});
