/** @jest-environment jsdom */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { isPageHeld } from '../../lib/forms/held-page';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import { useAccountActs } from './accounts/use-account-acts';
import { type Act, ActDialog } from './act-dialog';

const moved: Answer = () => ({
  data: {
    operator: {
      __typename: 'OperatorMutation',
      grantCredits: { __typename: 'OperatorCreditMove', isMoved: true, available: 100 },
    },
  },
});

/** What the server says to the same word with other credits. */
const askedOtherwise: Answer = () => ({
  errors: [
    {
      message: 'This word was already asked for with 100 credits (Ticket 17).',
      extensions: { code: 'CONFLICT', reason: 'conflict', field: 'once' },
    },
  ],
});

function Grant({ accountId, onDone }: { accountId: string; onDone: () => Promise<unknown> }) {
  const { grantCredits } = useAccountActs(accountId, onDone);
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <ActDialog act={grantCredits} onClose={() => setIsOpen(false)} />;
  return (
    <button type="button" onClick={() => setIsOpen(true)}>
      Open {accountId}
    </button>
  );
}

function show(accountId: string, answer: Answer, onDone: () => Promise<unknown> = async () => {}) {
  const page = renderPage(<Grant accountId={accountId} onDone={onDone} />, { OperatorGrantCredits: answer });
  const open = () => page.user.click(screen.getByText(`Open ${accountId}`));
  const fill = async (credits: string, reason = 'Ticket 17') => {
    await page.user.clear(screen.getByLabelText(/^Credits/));
    await page.user.type(screen.getByLabelText(/^Credits/), credits);
    await page.user.clear(screen.getByLabelText(/^Reason/));
    await page.user.type(screen.getByLabelText(/^Reason/), reason);
    await page.user.click(screen.getByRole('button', { name: 'Give credits' }));
  };
  const words = () => page.asked.map(({ variables }) => (variables.input as { once: string }).once);
  return { ...page, open, fill, words };
}

describe('The dialog of an operator’s act', () => {
  it('says that it does not know whether credits were moved when no answer comes, and asks for the same once more', async () => {
    const { open, fill, words, user } = show('acc_1', answerLost(1, moved));
    await open();
    await fill('100');
    await screen.findByText(/We could not confirm whether this was done/);
    expect(screen.queryByText(/then try again/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await open();
    await screen.findByText(/The answer to your last try was lost/);
    await fill('100');
    await screen.findByText(/Done\. 100 credits are available now/);
    expect(new Set(words()).size).toBe(1);
    // It has its answer: the next one is another.
    await user.click(screen.getByRole('button', { name: 'Done' }));
    await open();
    await fill('100');
    await screen.findByText(/Done\. 100/);
    expect(new Set(words()).size).toBe(2);
  });

  it('asks for a new move once the server has said what was asked for before, and for each account by itself', async () => {
    const { open, fill, words, user } = show('acc_2', answerLost(1, askedOtherwise));
    await open();
    await fill('100');
    await screen.findByText(/We could not confirm/);
    await fill('5000');
    await screen.findByText(/already asked for with 100 credits/);
    expect(new Set(words()).size).toBe(1);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await open();
    expect(screen.queryByText(/was lost/)).toBeNull();
    await fill('5000');
    await screen.findByText(/already asked for/);
    expect(new Set(words()).size).toBe(2);
  });

  it('keeps codes that it shows until they are said to be saved, whatever Escape and a click beside it do', async () => {
    const close = jest.fn();
    let tell = (_said: { shownOnce: string }) => {};
    const act: Act = {
      ...{ label: 'Create gift codes', words: 'The codes are shown once.', hasNoReason: true },
      run: () =>
        new Promise((resolve) => {
          tell = resolve;
        }),
    };
    const { user } = renderPage(<ActDialog act={act} onClose={close} />);
    await user.click(screen.getByRole('button', { name: 'Create gift codes' }));
    const leave = async () => {
      await user.keyboard('{Escape}');
      fireEvent.click(document.querySelector('.mantine-Modal-overlay') as Element);
    };
    await leave();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true);
    tell({ shownOnce: 'CODE-1\nCODE-2' });
    await screen.findByText(/CODE-1/);
    expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false);
    await leave();
    expect(close).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'I have saved it' }));
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('holds nobody who has read a sentence: the page is left without a question, and Escape closes the dialog', async () => {
    const close = jest.fn();
    const act: Act = {
      ...{ label: 'Freeze', words: 'Calls are refused.', hasNoReason: true },
      run: async () => ({ said: 'Done.' }),
    };
    const { user } = renderPage(<ActDialog act={act} onClose={close} />);
    await user.click(screen.getByRole('button', { name: 'Freeze' }));
    await screen.findByText('Done.');
    expect(isPageHeld()).toBe(false);
    expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(true);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  });

  it('has what was typed before its page went away, but for a secret, and nothing after a lost answer', async () => {
    const act: Act = {
      ...{ label: 'Add a key', words: 'For calls.', keptAs: 'provider key openai' },
      fields: [
        { name: 'secret', label: 'Key', isSecret: true },
        { name: 'weight', label: 'Weight', initial: '1' },
      ],
      run: () => Promise.reject(new TypeError('Failed to fetch')),
    };
    const openAct = () => renderPage(<ActDialog act={act} onClose={() => undefined} />).user;
    const valueIn = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
    const user = openAct();
    await user.type(screen.getByLabelText(/^Key/), 'sk-secret');
    await user.type(screen.getByLabelText(/^Weight/), '0');
    await user.type(screen.getByLabelText(/^Reason/), 'Ticket 17');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('sk-secret');
    cleanup();
    const again = openAct();
    expect([valueIn(/^Key/), valueIn(/^Weight/), valueIn(/^Reason/)]).toEqual(['', '10', 'Ticket 17']);
    await again.type(screen.getByLabelText(/^Key/), 'sk-secret');
    await again.click(screen.getByRole('button', { name: 'Add a key' }));
    await screen.findByText(/We could not confirm whether this was done/);
    cleanup();
    openAct();
    expect(valueIn(/^Reason/)).toBe('');
  });

  it('says what was done when only the page could not be read again', async () => {
    const { open, fill } = show('acc_3', moved, () => Promise.reject(new TypeError('Failed to fetch')));
    await open();
    await fill('100');
    await screen.findByText(/Done\. 100 credits are available now/);
  });
});
