/** @jest-environment jsdom */
import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { FocusKeeper } from './focus-keeper';

describe('The focus on a button that takes no press while its answer is waited for', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function press(isBusy: boolean) {
    render(
      <MemoryRouter>
        <div id="root">
          <section>
            <h1>Sign in</h1>
            <button type="button">Go on</button>
          </section>
        </div>
        <FocusKeeper />
      </MemoryRouter>,
    );
    const button = screen.getByRole<HTMLButtonElement>('button');
    button.focus();
    button.setAttribute('aria-busy', String(isBusy));
    // A browser takes the focus from what is disabled; jsdom leaves it there.
    button.blur();
    button.disabled = true;
    return button;
  }

  it('comes back to it when it is free again, however long that takes, where it says that it is busy', async () => {
    const button = press(true);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(document.activeElement).toBe(document.body);
    button.disabled = false;
    await jest.advanceTimersByTimeAsync(1_100);
    expect(document.activeElement).toBe(button);
  });

  it('goes to the heading around it after a second where it does not say so', async () => {
    press(false);
    await jest.advanceTimersByTimeAsync(1_200);
    expect(document.activeElement).toBe(screen.getByRole('heading'));
  });
});
