import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../features');
const sourceOf = (name: string) => readFileSync(join(folder, name), 'utf8');

/** These say by themselves what is known after a lost answer, or change nothing that a second press could change twice. */
const othersByReason: Readonly<Record<string, readonly string[]>> = {
  'it asks, proves or opens, and may be asked again': [
    ...['purchases/purchase-return.tsx', 'purchases/saved-card-line.tsx'],
    ...['session/fresh-proof-dialog.tsx', 'session/passkey-sign-in.tsx', 'session/second-step-form.tsx'],
    ...['session/sign-in-form.tsx', 'session/forgot-password-form.tsx', 'session/use-provider-return.ts'],
  ],
  'not looked at yet': [
    ...['keys/revoke-key-modal.tsx', 'members/invite-form.tsx', 'requests/share-receipt.tsx'],
    ...['purchases/auto-top-up-form.tsx', 'purchases/balance-alert-card.tsx'],
    ...['session/account-menu.tsx', 'session/reset-password.tsx', 'session/sign-up-form.tsx'],
    ...['session/undo-email-change.tsx', 'settings/confirm-email.tsx', 'settings/delete-account.tsx'],
    ...['settings/email-form.tsx', 'settings/new-authenticator-app.tsx', 'settings/new-passkey.tsx'],
    ...['settings/password-form.tsx', 'settings/profile-form.tsx', 'settings/recover-factors.tsx'],
    'settings/verify-email.tsx',
  ],
};

describe('Every change that a page of an account makes', () => {
  it('says after a lost answer that it is not known what became of it, or is listed with a reason', () => {
    const changing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.startsWith('operator'))
      .filter((name) => sourceOf(name).includes('useMutation('));
    const silent = changing.filter(
      (name) => !/\b(?:failureSentences|failureWords|useTellFailure)\(/.test(sourceOf(name)),
    );
    expect(silent.toSorted()).toEqual(Object.values(othersByReason).flat().toSorted());
  });
});
