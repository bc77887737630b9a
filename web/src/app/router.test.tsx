/** @jest-environment jsdom */
import { act, screen } from '@testing-library/react';
import { renderRouted } from '../test/render-page';
import { Router } from './router';

const answers = { VerifyEmail: () => ({ data: { verifyEmail: true } }) };

describe('Router', () => {
  it('begins anew for another link that is opened in the same tab', async () => {
    const { user, asked } = renderRouted(<Router />, answers, '/verify-email#first');
    await user.click(await screen.findByRole('button', { name: 'Verify my address' }));
    await screen.findByText('Your address is verified');
    // As a browser does for an address that differs behind the # alone.
    act(() => {
      window.history.pushState(null, '', '/verify-email#second');
      window.dispatchEvent(new PopStateEvent('popstate'));
    });
    await user.click(await screen.findByRole('button', { name: 'Verify my address' }));
    const tokens = asked.filter(({ name }) => name === 'VerifyEmail').map(({ variables }) => variables.token);
    expect(tokens).toEqual(['first', 'second']);
  });
});
