/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { KeysPanel } from './keys-panel';

function keyOf(id: string) {
  return {
    ...{ __typename: 'ApiKey', id, name: id, madeBy: null, mayChange: true, maskedSecret: 'sk-tg-…', scopes: ['CHAT'] },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', lastUsedAt: null, revokedAt: null, models: null, providers: null },
    ...{ spendLimit: null, spendPeriod: null, spentInPeriod: 0, spendResetsAt: null, requestsPerMinute: null },
    ...{ tokensPerMinute: null, addresses: null, expiresAt: null, graceEndsAt: null },
  };
}

function open(count: number, keysMax: number) {
  const data = {
    viewer: { __typename: 'Account', id: 'acct_1', role: 'OWNER', keysMax },
    apiKeys: Array.from({ length: count }, (_, at) => keyOf(`key_${at}`)),
  };
  renderPage(<KeysPanel />, Object.fromEntries(['ApiKeys', 'Session'].map((name) => [name, () => ({ data })])));
}

describe('KeysPanel', () => {
  it('claims no limit that the keys below it contradict', async () => {
    open(3, 1);
    await screen.findByText('3 keys in force; an account may now have one key');
  });

  it('says how many keys an account may have once it has them', async () => {
    open(1, 1);
    await screen.findByText('An account may have one key');
  });
});
