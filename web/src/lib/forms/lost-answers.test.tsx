/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { ShownOnceModal } from '../../components/shown-once-modal';
import RevokeKeyModal from '../../features/keys/revoke-key-modal';
import { InviteForm } from '../../features/members/invite-form';
import { AutoTopUpForm } from '../../features/purchases/auto-top-up-form';
import { BalanceAlertCard } from '../../features/purchases/balance-alert-card';
import { ShareReceipt } from '../../features/requests/share-receipt';
import { ResetPassword } from '../../features/session/reset-password';
import { SignUpForm } from '../../features/session/sign-up-form';
import { UndoEmailChange } from '../../features/session/undo-email-change';
import { DeleteAccount } from '../../features/settings/delete-account';
import { EmailForm } from '../../features/settings/email-form';
import NewAuthenticatorApp from '../../features/settings/new-authenticator-app';
import NewPasskey from '../../features/settings/new-passkey';
import { PasswordForm } from '../../features/settings/password-form';
import { ProfileForm } from '../../features/settings/profile-form';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import { failureSentences } from './lost-answers';

const lost = answerLost(Number.POSITIVE_INFINITY, () => null);
const nothing = () => {};

const key = { id: 'key_1', name: 'Laptop', maskedSecret: 'sk-tg-…1234' };
const topUp = {
  ...{ __typename: 'AutoTopUp' as const, isOn: true, threshold: 1_000, dollars: 20, monthlyCapDollars: 100 },
  ...{ boughtThisMonthDollars: 0, failure: null, pausedUntil: null, consentText: 'I agree.' },
  ...{ cardSavedBy: 'Ada', isCardYours: true },
  card: { __typename: 'SavedCard' as const, brand: 'visa', last4: '4242', expiryMonth: 1, expiryYear: 2030 },
};
const balanceAlert = {
  ...{ __typename: 'BalanceAlert', threshold: 100, email: true, webhookUrl: null, webhookSecret: null, use: false },
};
const viewer = { __typename: 'Account', id: 'acct_1', emailVerifiedAt: null };
const startPasskey = '{"challenge":"AAAA","rp":{"name":"T"},"user":{"id":"AAAA"},"pubKeyCredParams":[]}';
const startAuthenticatorApp = { __typename: 'NewAuthenticatorApp', secret: 'ABCD', uri: 'otpauth://x' };

/** The account is deleted, and so nobody is signed in. */
const deleted = Object.fromEntries<Answer>([
  ['DeleteAccount', lost],
  ['ViewerNow', () => ({ data: { viewer: null } })],
]);

const others = Object.fromEntries<Answer>([
  ['BalanceAlert', () => ({ data: { viewer, balanceAlert } })],
  ['PendingEmail', () => ({ data: { pendingEmailChange: null } })],
  ['SignInProviders', () => ({ data: { signInProviders: [] } })],
  ['ViewerNow', () => ({ data: { viewer } })],
  ['StartAuthenticatorApp', () => ({ data: { startAuthenticatorApp } })],
  ['StartPasskey', () => ({ data: { startPasskey } })],
]);

/** As a browser makes one. */
function letBrowserMakePasskeys(): void {
  const bytes = new Uint8Array([1]).buffer;
  const response = { clientDataJSON: bytes, attestationObject: bytes };
  const made = { id: 'AQ', rawId: bytes, type: 'public-key', response, getClientExtensionResults: () => ({}) };
  Object.assign(window, { PublicKeyCredential: class {} });
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create: async () => made } });
}

const press = async (user: UserEvent, name: string) => user.click(await screen.findByRole('button', { name }));
const type = async (user: UserEvent, label: RegExp, text: string) =>
  user.type(await screen.findByLabelText(label, { selector: 'input' }), text);
const password = 'a new long password';

const inDialog = (shown: ReactNode) => (
  <ShownOnceModal opened onClose={nothing}>
    {shown}
  </ShownOnceModal>
);

interface Form {
  readonly mutation: string;
  readonly shown: ReactNode;
  readonly whether: string;
  readonly button: string;
  readonly fill?: (user: UserEvent) => Promise<unknown>;
}

const forms: readonly Form[] = [
  {
    ...{ mutation: 'RevokeApiKey', whether: 'the key was revoked', button: 'Revoke key' },
    shown: <RevokeKeyModal isOpen apiKey={key} onClose={nothing} />,
  },
  {
    ...{ mutation: 'InviteMember', whether: 'they were invited', button: 'Send invitation' },
    shown: <InviteForm isMailSent unverified={null} />,
    fill: (user) => type(user, /^E-mail/, 'bob@example.com'),
  },
  {
    ...{ mutation: 'ShareReceipt', whether: 'a link was made', button: 'Create link' },
    shown: <ShareReceipt callId="call_1" />,
    fill: (user) => press(user, 'Share'),
  },
  {
    ...{ mutation: 'StopSharingReceipt', whether: 'the links were ended', button: 'Stop sharing' },
    shown: <ShareReceipt callId="call_1" />,
    fill: (user) => press(user, 'Share'),
  },
  {
    ...{ mutation: 'SetAutoTopUp', whether: 'the automatic top-up was changed', button: 'Turn off' },
    shown: <AutoTopUpForm topUp={topUp} />,
  },
  {
    ...{ mutation: 'SetBalanceAlert', whether: 'the alert was saved', button: 'Save' },
    shown: <BalanceAlertCard />,
    fill: async (user) => user.click(await screen.findByRole('checkbox', { name: /^By e-mail/ })),
  },
  {
    ...{ mutation: 'ResetPassword', whether: 'your password was changed', button: 'Change password' },
    shown: <ResetPassword />,
    fill: (user) => type(user, /^New password/, password),
  },
  {
    ...{ mutation: 'UndoEmailChange', whether: 'you have your address back', button: 'Take my address back' },
    shown: <UndoEmailChange />,
    fill: (user) => type(user, /^New password/, password),
  },
  {
    ...{ mutation: 'SignUp', whether: 'your account was made', button: 'Create account' },
    shown: <SignUpForm />,
    fill: async (user) => {
      await type(user, /^E-mail/, 'bob@example.com');
      await type(user, /^Password/, password);
    },
  },
  {
    ...{ mutation: 'DeleteAccount', whether: 'the account was deleted', button: 'Delete account' },
    shown: <DeleteAccount credits={0} />,
    fill: async (user) => {
      await press(user, 'Delete the account');
      await type(user, /^Your password/, password);
    },
  },
  {
    ...{ mutation: 'ChangeEmail', whether: 'you have asked for it', button: 'Change address' },
    shown: <EmailForm isMailSent />,
    fill: async (user) => {
      await type(user, /^New e-mail/, 'bob@example.com');
      await type(user, /^Password/, password);
    },
  },
  {
    ...{ mutation: 'ConfirmAuthenticatorApp', whether: 'the app is set up', button: 'Turn on' },
    shown: inDialog(<NewAuthenticatorApp onDone={nothing} />),
    fill: (user) => type(user, /^Code/, '123456'),
  },
  {
    ...{ mutation: 'AddPasskey', whether: 'the passkey was added', button: 'Create the passkey' },
    shown: inDialog(<NewPasskey onDone={nothing} />),
  },
  {
    ...{ mutation: 'ChangePassword', whether: 'the password was changed', button: 'Change password' },
    shown: <PasswordForm email="ada@example.com" />,
    fill: async (user) => {
      await type(user, /^Current password/, 'the one before it');
      await type(user, /^New password/, password);
    },
  },
  {
    ...{ mutation: 'UpdateProfile', whether: 'it was saved', button: 'Save' },
    shown: <ProfileForm name="Ada" />,
  },
];

describe('A form whose answer was lost', () => {
  beforeAll(letBrowserMakePasskeys);

  it.each(forms.map((form) => [form.mutation, form] as const))(
    '%s says that it is not known what became of it, and what to do',
    async (mutation, { shown, whether, button, fill }) => {
      const { asked, user } = renderPage(shown, { ...others, [mutation]: lost }, '/page#token');
      await fill?.(user);
      await press(user, button);
      await screen.findByText(
        new RegExp(`We could not confirm whether ${whether}\\. Tollgate’s answer was not clear\\. \\w`),
      );
      expect(screen.queryByText(/cannot be reached/)).toBeNull();
      expect(asked.map(({ name }) => name)).toContain(mutation);
    },
    30_000,
  );

  it('leaves every tab when it has deleted the account', async () => {
    localStorage.clear();
    const { user } = renderPage(<DeleteAccount credits={0} />, { ...others, ...deleted });
    await press(user, 'Delete the account');
    await type(user, /^Your password/, password);
    await press(user, 'Delete account');
    await waitFor(() => expect(localStorage.getItem('tollgate.signed-out')).not.toBeNull());
    expect(screen.queryByText(/We could not confirm/)).toBeNull();
  });
});

describe('failureSentences', () => {
  const of = (extensions: object, message = 'The database is busy. Try again shortly.') =>
    failureSentences({ errors: [{ message, extensions }] }, { whether: 'whether it was done', remedy: 'Look.' });

  it('has the server’s own sentence of what happened where the server has one, and the id by which a fault stands in the log', () => {
    expect(of({ code: 'INTERNAL', reason: 'service_unavailable' })).toBe(
      'We could not confirm whether it was done. The database is busy. Look.',
    );
    expect(of({ code: 'INTERNAL', requestId: 'req_1' }, 'Something went wrong. Try again.')).toBe(
      'We could not confirm whether it was done. Tollgate’s answer was not clear. If this continues, report the id req_1. Look.',
    );
    expect(of({ code: 'CONFLICT' }, 'It was changed.')).toBe('It was changed.');
  });

  it('says once that it is not known, and what to do, after a COMMIT whose answer was lost', () => {
    const lostCommit =
      'The database went away while this was being stored. It is not known whether it was changed: look before you try again.';
    expect(of({ code: 'INTERNAL', reason: 'service_unavailable' }, lostCommit)).toBe(
      'We could not confirm whether it was done. The database went away while this was being stored. Look.',
    );
  });
});
