/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { RetryButton } from './retry-button';

describe('RetryButton', () => {
  it('is busy until there is an answer, also one that fails, and can be pressed again then', async () => {
    let fail = (_: Error) => {};
    const ask = jest.fn(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    const { user } = renderPage(<RetryButton onRetry={ask} />);
    const button = screen.getByRole('button', { name: 'Try again' });
    await user.click(button);
    expect(button.getAttribute('aria-busy')).toBe('true');
    await user.click(button);
    expect(ask).toHaveBeenCalledTimes(1);
    fail(new TypeError('Failed to fetch'));
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('false'));
    await user.click(button);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});
