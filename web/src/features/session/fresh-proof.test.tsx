/** @jest-environment jsdom */
import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { askForProof, type ProofWanted } from '../../lib/session/fresh-proof';
import { renderPage } from '../../test/render-page';
import { FreshProof } from './fresh-proof';

function Page() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      {isOpen && <FreshProof />}
      <button type="button" onClick={() => setOpen(false)}>
        Away
      </button>
    </>
  );
}

const proved = () => ({ data: { proveFactor: true } });

function open() {
  const page = renderPage(<Page />, { ProveFactor: proved });
  const answers: boolean[] = [];
  const ask = (wanted: ProofWanted) => act(async () => void askForProof(wanted).then((answer) => answers.push(answer)));
  return { ...page, answers, ask };
}

describe('Changes that want a fresh proof', () => {
  it.each([
    ['Go on', [true, true]],
    ['Cancel', [false, false]],
  ])('at once are asked in one dialog, and “%s” answers all of them', async (button, expected) => {
    const { user, answers, ask } = open();
    await ask('password');
    await ask('password');
    await user.type(await screen.findByLabelText(/^Your password/), 'a ship in port is safe');
    await user.click(screen.getByRole('button', { name: button }));
    expect(answers).toEqual(expected);
    expect(screen.queryByLabelText(/^Your password/)).toBeNull();
  });

  it.each([
    ['password', 'factor'],
    ['factor', 'password'],
  ] as const)('by %s, then by %s are asked for the factor, which proves both', async (first, second) => {
    const { user, answers, ask } = open();
    await ask(first);
    await ask(second);
    await user.type(await screen.findByLabelText(/^Code/), '123456');
    await user.click(screen.getByRole('button', { name: 'Go on' }));
    expect(answers).toEqual([true, true]);
  });

  it('are answered with no, and told, when the code of the question is gone after an update of the server', async () => {
    const load = jest.fn(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
    renderPage(<FreshProof load={load} />);
    jest.useFakeTimers();
    let answer: Promise<boolean> | null = null;
    act(() => {
      answer = askForProof('password');
    });
    // Short of what a toast stands there for.
    await act(() => jest.advanceTimersByTimeAsync(3_000));
    jest.useRealTimers();
    expect(await answer).toBe(false);
    expect(load.mock.calls.length).toBeLessThan(6);
    await screen.findByText(/^Reload the page/);
  });

  it('are all answered with no when nobody can be asked any more', async () => {
    const { user, answers, ask } = open();
    await ask('password');
    await ask('factor');
    await screen.findByLabelText(/^Code/);
    await user.click(screen.getByText('Away'));
    expect(answers).toEqual([false, false]);
    expect(await askForProof('password')).toBe(false);
  });
});
