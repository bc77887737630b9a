/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../../test/render-page';
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
});
