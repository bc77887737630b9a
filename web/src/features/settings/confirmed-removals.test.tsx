/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Answer, renderPage } from '../../test/render-page';
import { AuthenticatorApp } from './authenticator-app';
import { LinkedIdentities } from './linked-identities';
import { Passkeys } from './passkeys';
import { RecoveryCodes } from './recovery-codes';

const passkey = {
  ...{ __typename: 'Passkey', id: 'pk_1', name: 'Laptop', createdAt: '2026-01-01T00:00:00Z', lastUsedAt: null },
};
const factors = {
  ...{ __typename: 'Factors', authenticatorAppSince: '2026-01-01T00:00:00Z', recoveryCodesLeft: 10 },
  ...{ recoveryDueAt: null, passkeys: [passkey] },
};
const identity = {
  ...{ __typename: 'LinkedIdentity', id: 'id_1', provider: 'github', label: 'ada' },
  ...{ createdAt: '2026-01-01T00:00:00Z', lastUsedAt: null },
};
const provider = { __typename: 'SignInProvider', id: 'github', label: 'GitHub' };
const answers: Readonly<Record<string, Answer>> = Object.fromEntries([
  ['Factors', () => ({ data: { factors } })],
  ['LinkedIdentities', () => ({ data: { signInProviders: [provider], linkedIdentities: [identity] } })],
  ['RenewRecoveryCodes', () => ({ data: { renewRecoveryCodes: ['AAAA-1111'] } })],
  ['RemoveAuthenticatorApp', () => ({ data: { removeAuthenticatorApp: true } })],
  ['RemovePasskey', () => ({ data: { removePasskey: true } })],
  ['UnlinkIdentity', () => ({ data: { unlinkIdentity: true } })],
]);

const removals: readonly [string, ReactNode, string, string][] = [
  ['RenewRecoveryCodes', <RecoveryCodes key="codes" />, 'New recovery codes', 'Create new codes'],
  ['RemoveAuthenticatorApp', <AuthenticatorApp key="app" />, 'Remove the app', 'Remove app'],
  ['RemovePasskey', <Passkeys key="passkeys" />, 'Remove the passkey Laptop', 'Remove passkey'],
  ['UnlinkIdentity', <LinkedIdentities key="linked" />, 'Unlink GitHub, ada', 'Unlink GitHub'],
];

describe('What makes a sign-in weaker, or saved codes worthless', () => {
  it.each(removals)('is asked about first: %s', async (mutation, shown, button, confirm) => {
    const { user, asked } = renderPage(shown, answers);
    const isSent = () => asked.some(({ name }) => name === mutation);
    await user.click(await screen.findByRole('button', { name: button }));
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(isSent()).toBe(false);
    await user.click(screen.getByRole('button', { name: button }));
    await user.click(await screen.findByRole('button', { name: confirm }));
    await waitFor(() => expect(isSent()).toBe(true));
  });
});
