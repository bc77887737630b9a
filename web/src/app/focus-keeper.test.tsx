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

const savedFilters = `
  <div id="root"><button>Saved filters</button></div>
  <div role="dialog">
    <ul><li><button>Delete Mornings</button></li><li><button>Delete Evenings</button></li></ul>
    <input />
  </div>`;

describe('The focus on something that goes away from what has opened over the page', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    document.body.replaceChildren();
    jest.useRealTimers();
  });

  it('goes to what stands beside it there, and to what opened that once nothing is left of it', async () => {
    render(
      <MemoryRouter>
        <FocusKeeper />
      </MemoryRouter>,
    );
    // Taken away below React's hands.
    document.body.insertAdjacentHTML('beforeend', savedFilters);
    const button = (name: string) => screen.getByRole('button', { name });
    const remove = async (element: HTMLElement) => {
      element.remove();
      await jest.advanceTimersByTimeAsync(100);
    };
    button('Saved filters').focus();
    button('Delete Mornings').focus();
    await remove(screen.getAllByRole('listitem')[0] as HTMLElement);
    expect(document.activeElement).toBe(button('Delete Evenings'));
    await remove(screen.getByRole('list'));
    expect(document.activeElement).toBe(screen.getByRole('textbox'));
    await remove(screen.getByRole('dialog'));
    expect(document.activeElement).toBe(button('Saved filters'));
  });
});
