/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { useState } from 'react';
import { answerLost, renderPage } from '../../test/render-page';
import type { ApiKey } from './keys-document';
import RotateKeyModal from './rotate-key-modal';

function keyOf(name: string): ApiKey {
  return { id: `key_${name}`, name, maskedSecret: 'sk-tg-…' } as ApiKey;
}

const answers = {
  RotateApiKey: ({ id }: Readonly<Record<string, unknown>>) => ({
    data: {
      rotateApiKey: {
        __typename: 'CreatedApiKey',
        apiKey: { __typename: 'ApiKey', id, maskedSecret: 'sk-tg-…', graceEndsAt: null },
        secret: `secret-of-${String(id)}`,
      },
    },
  }),
};

const noAnswer = { RotateApiKey: () => null };

/** The dialog, and a way to another key without waiting for the answer about the first. */
function DialogOfOneThenAnother() {
  const [apiKey, setApiKey] = useState(keyOf('Laptop'));
  return (
    <>
      <button type="button" onClick={() => setApiKey(keyOf('Server'))}>
        Another key
      </button>
      <RotateKeyModal isOpen apiKey={apiKey} onClose={() => undefined} />
    </>
  );
}

describe('RotateKeyModal', () => {
  it('names the key of the secret that it shows, also when the dialog stands there for another key by then', async () => {
    const { user } = renderPage(<DialogOfOneThenAnother />, answers);
    await user.click(await screen.findByRole('button', { name: 'Rotate key' }));
    await user.click(screen.getByText('Another key'));
    await screen.findByText('secret-of-key_Laptop');
    screen.getByText('Secret of Laptop');
  });

  it('stays open while the secret is being made, so that no Escape and no button loses it', async () => {
    const close = jest.fn();
    const { user } = renderPage(<RotateKeyModal isOpen apiKey={keyOf('Laptop')} onClose={close} />, {
      ...noAnswer,
    });
    await user.click(await screen.findByRole('button', { name: 'Rotate key' }));
    await screen.findByRole('button', { name: 'Rotating …' });
    await user.keyboard('{Escape}');
    expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    const leaving = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(leaving);
    expect([close.mock.calls, leaving.defaultPrevented]).toEqual([[], true]);
  });

  it('says what to choose for a secret that has leaked, and then what becomes of calls with it', async () => {
    const { user } = renderPage(<RotateKeyModal isOpen apiKey={keyOf('Laptop')} onClose={() => undefined} />, {});
    await screen.findByText(/while the old one still works\.$/);
    screen.getByText('If it has leaked, choose “stops working now”.');
    await user.click(screen.getByRole('combobox', { name: 'The old secret' }));
    await user.click(await screen.findByRole('option', { name: 'stops working now' }));
    screen.getByText(/Calls with the old secret are refused at once/);
    expect(screen.queryByText(/still works/)).toBeNull();
  });

  it('asks under another key for another grace, since the server refuses the same key with other input', async () => {
    const { user, asked } = renderPage(<DialogOfOneThenAnother />, {
      RotateApiKey: answerLost(1, answers.RotateApiKey),
    });
    await user.click(await screen.findByRole('button', { name: 'Rotate key' }));
    await screen.findByText(/We could not confirm whether/);
    await user.click(screen.getByRole('combobox', { name: 'The old secret' }));
    await user.click(await screen.findByRole('option', { name: 'stops working now' }));
    await user.click(screen.getByRole('button', { name: 'Rotate key' }));
    await screen.findByText('secret-of-key_Laptop');
    const [first, second] = asked.map(({ variables }) => variables);
    expect([first?.graceSeconds, second?.graceSeconds]).toEqual([86_400, 0]);
    expect(second?.idempotencyKey).not.toBe(first?.idempotencyKey);
  });
});
