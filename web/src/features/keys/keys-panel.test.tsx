/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { KeysPanel } from './keys-panel';

function keyOf(id: string) {
  return {
    ...{ __typename: 'ApiKey', id, name: id, madeBy: null, mayChange: true, maskedSecret: 'sk-tg-…', scopes: ['CHAT'] },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', lastUsedAt: null, revokedAt: null, models: null, providers: null },
    ...{ spendLimit: null, spendPeriod: null, spentInPeriod: 0, spendResetsAt: null, requestsPerMinute: null },
    ...{ tokensPerMinute: null, addresses: null, expiresAt: null, graceEndsAt: null },
  };
}

const rotate = () => ({
  data: {
    rotateApiKey: {
      ...{ __typename: 'CreatedApiKey', secret: 'sk-tg-another' },
      apiKey: { __typename: 'ApiKey', id: 'key_0', maskedSecret: 'sk-tg-…', graceEndsAt: null },
    },
  },
});

function open(count: number, keysMax: number, more: Parameters<typeof renderPage>[1] = {}) {
  const data = {
    viewer: { __typename: 'Account', id: 'acct_1', role: 'OWNER', keysMax },
    apiKeys: Array.from({ length: count }, (_, at) => keyOf(`key_${at}`)),
  };
  const shown = Object.fromEntries(['ApiKeys', 'Session'].map((name) => [name, () => ({ data })]));
  return renderPage(<KeysPanel />, { ...shown, ...more });
}

describe('KeysPanel', () => {
  it('claims no limit that the keys below it contradict', async () => {
    open(3, 1);
    await screen.findByText(
      '3 keys in force; an account may now have one key. For a new secret, rotate a key. To create another, revoke 3 of these first.',
    );
  });

  it('advises nobody to change keys that others have made', async () => {
    const viewer = { __typename: 'Account', id: 'acct_1', role: 'DEVELOPER', keysMax: 1 };
    const apiKeys = [{ ...keyOf('key_0'), mayChange: false }];
    const answer = () => ({ data: { viewer, apiKeys } });
    open(1, 1, { ApiKeys: answer });
    await screen.findByText(/Other members created them.*ask an owner or admin to revoke one first/);
    expect(screen.queryByText(/rotate/)).toBeNull();
  });

  it('says how many keys an account may have once it has them', async () => {
    open(1, 1);
    await screen.findByText(/^An account may have one key\./);
  });

  it('says of a key that has used its budget that it is refused, and leads to the requests of a used one', async () => {
    const used = { ...keyOf('key_0'), spendLimit: 10, spendPeriod: 'MONTH', lastUsedAt: '2026-11-02T00:00:00.000Z' };
    const viewer = { __typename: 'Account', id: 'acct_1', role: 'OWNER', keysMax: 5 };
    const apiKeys = [
      { ...used, spentInPeriod: 10 },
      { ...used, id: 'key_1', name: 'key_1', spentInPeriod: 9.999, lastUsedAt: null },
    ];
    const answer = () => ({ data: { viewer, apiKeys } });
    open(2, 5, { ApiKeys: answer });
    await screen.findByText('Budget used');
    screen.getByText('Active');
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['/requests?key=key_0']);
  });

  it('finds one of ten keys by its name, says how many fit', async () => {
    const { user } = open(12, 20);
    await user.type(await screen.findByRole('searchbox', { name: 'Find a key' }), ' KEY_1');
    expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
      ...['key_1', 'key_10', 'key_11'],
    ]);
    expect(screen.getByRole('status').textContent).toBe('3 of 12 keys');
    await user.keyboard('9');
    screen.getByText('No key fits');
    expect(screen.getByRole('status').textContent).toBe('0 of 12 keys');
  });

  it('has no field above fewer than ten keys', async () => {
    open(9, 20);
    await screen.findByText('key_8');
    expect(screen.queryByRole('searchbox')).toBeNull();
  });

  it('rotates once however often it is pressed after a lost answer, says what is not known, and shows what is', async () => {
    const { user, asked } = open(1, 5, { RotateApiKey: answerLost(2, rotate) });
    const listRotations = () => asked.filter(({ name }) => name === 'RotateApiKey').map(({ variables }) => variables);
    const countLists = () => asked.filter(({ name }) => name === 'ApiKeys').length;
    await user.click(await screen.findByRole('button', { name: 'Rotate key_0' }));
    await user.click(await screen.findByRole('button', { name: 'Rotate key' }));
    await screen.findByText(/We could not confirm whether the key has a new secret/);
    await waitFor(() => expect(countLists()).toBe(2));
    await user.click(screen.getByRole('button', { name: 'Rotate key' }));
    await waitFor(() => expect(countLists()).toBe(3));
    await user.click(screen.getByRole('button', { name: 'Rotate key' }));
    await screen.findByText('sk-tg-another');
    const [first, ...again] = listRotations();
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toEqual([first, first]);
  });
});
