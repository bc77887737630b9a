/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { JoinPage } from './join-page';

describe('JoinPage', () => {
  it('offers to ask once more when the answer about who is signed in was lost', async () => {
    const nobody = () => ({ data: { person: null } });
    const { user } = renderPage(<JoinPage />, { JoiningPerson: answerLost(1, nobody) }, '/join#invt_token');
    await screen.findByRole('heading', { name: 'The invitation could not be loaded' });
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('heading', { name: 'You are invited' });
  });
});
