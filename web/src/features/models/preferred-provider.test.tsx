/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { PreferredProvider } from './preferred-provider';

const provider = (id: string) => ({ __typename: 'Provider', id, name: id, state: 'HEALTHY' });

function open(preferredProvider: string) {
  const answer = () => ({
    data: {
      viewer: { __typename: 'Account', id: 'acct_1', preferredProvider },
      providers: [provider('demo'), provider('openai')],
    },
  });
  renderPage(<PreferredProvider />, Object.fromEntries([['PreferredProvider', answer]]));
  return (words: string) =>
    waitFor(() =>
      expect(screen.getByLabelText('Preferred provider', { selector: 'input' })).toHaveProperty('value', words),
    );
}

describe('PreferredProvider', () => {
  it('names a preferred provider that the server does not have any more, and says so', async () => {
    await open('mistral')('mistral (no longer available)');
  });

  it('shows one that is there', async () => {
    await open('openai')('openai');
  });
});
