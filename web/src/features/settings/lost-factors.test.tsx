/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import { AuthenticatorApp } from './authenticator-app';
import { Passkeys } from './passkeys';
import { RecoveryCodes } from './recovery-codes';

const codes = ['AAAA-1111', 'BBBB-2222'];
const passkey = {
  __typename: 'Passkey',
  id: 'pk_1',
  name: 'Laptop',
  createdAt: '2026-01-01T00:00:00Z',
  lastUsedAt: null,
};
const none = {
  ...{ __typename: 'Factors', authenticatorAppSince: null as string | null, recoveryCodesLeft: 0 },
  ...{ recoveryDueAt: null, passkeys: [] as (typeof passkey)[] },
};
const app = { ...none, authenticatorAppSince: '2026-01-01T00:00:00Z', recoveryCodesLeft: 10 };
const withPasskey = { ...none, passkeys: [passkey], recoveryCodesLeft: 10 };
const startPasskey = '{"challenge":"AAAA","rp":{"name":"T"},"user":{"id":"AAAA"},"pubKeyCredParams":[]}';
const refused = (message: string) => ({ errors: [{ message, extensions: { code: 'CONFLICT' } }] });

/** A server that does what it is asked, and whose first answer to a change is lost; then it has the factors that are given. */
function serverOf(after: typeof none, mutation: string, before = none): Readonly<Record<string, Answer>> {
  let isDone = false;
  const lost = answerLost(1, () => refused('No app waits for its first code. Start again.'));
  const start = () => {
    if (isDone) return refused('Your account has an authenticator app already.');
    return {
      data: { startAuthenticatorApp: { __typename: 'NewAuthenticatorApp', secret: 'ABCD', uri: 'otpauth://x' } },
    };
  };
  return Object.fromEntries<Answer>([
    ['Factors', () => ({ data: { factors: isDone ? after : before } })],
    ['StartAuthenticatorApp', start],
    ['StartPasskey', () => ({ data: { startPasskey } })],
    ['RenewRecoveryCodes', () => ({ data: { renewRecoveryCodes: codes } })],
    [
      mutation,
      (variables) => {
        isDone = true;
        return lost(variables);
      },
    ],
  ]);
}

/** As a browser makes one. */
function letBrowserMakePasskeys(): void {
  const bytes = new Uint8Array([1]).buffer;
  const response = { clientDataJSON: bytes, attestationObject: bytes };
  const made = { id: 'AQ', rawId: bytes, type: 'public-key', response, getClientExtensionResults: () => ({}) };
  Object.assign(window, { PublicKeyCredential: class {} });
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create: async () => made } });
}

function open(answers: Readonly<Record<string, Answer>>) {
  letBrowserMakePasskeys();
  const page = renderPage(
    <>
      <AuthenticatorApp />
      <Passkeys />
      <RecoveryCodes />
    </>,
    answers,
  );
  const press = async (name: string) => page.user.click(await screen.findByRole('button', { name }));
  return { ...page, press };
}

async function confirmApp(answers: Readonly<Record<string, Answer>>) {
  const page = open(answers);
  await page.press('Set up an app');
  await page.user.type(await screen.findByLabelText(/^Code/), '123456');
  await page.press('Turn on');
  return page;
}

async function addPasskey(answers: Readonly<Record<string, Answer>>) {
  const page = open(answers);
  await page.press('Add a passkey');
  await page.press('Create the passkey');
  return page;
}

describe('A factor whose answer was lost', () => {
  it.each([
    ['the app', app, 'ConfirmAuthenticatorApp', confirmApp, 'An app is already set up'],
    ['the first passkey', withPasskey, 'AddPasskey', addPasskey, 'The passkey was added'],
  ] as const)(
    '%s is said to be in force, and new recovery codes are made and shown',
    async (_, after, name, use, words) => {
      const { press } = await use(serverOf(after, name));
      await screen.findByText(words);
      screen.getByText(/^You have not seen its recovery codes/);
      await press('Create new recovery codes');
      await screen.findByText(/AAAA-1111/);
      await press('I have saved them');
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    },
  );

  it('is a further passkey: it is said to be added, and no codes are spoken of', async () => {
    const second = { ...withPasskey, passkeys: [passkey, { ...passkey, id: 'pk_2' }] };
    await addPasskey(serverOf(second, 'AddPasskey', withPasskey));
    await screen.findByText('Passkey added');
    expect(screen.queryByText(/have not seen its recovery codes/)).toBeNull();
  });

  it('is not known of where the server cannot be asked, and is found when the app is set up once more', async () => {
    const server = serverOf(app, 'ConfirmAuthenticatorApp');
    let isAway = false;
    const answers = Object.fromEntries<Answer>([
      ...Object.entries(server),
      [
        'Factors',
        (variables) => {
          if (isAway) throw new TypeError('Failed to fetch');
          return server.Factors?.(variables) ?? null;
        },
      ],
      [
        'ConfirmAuthenticatorApp',
        (variables) => {
          isAway = true;
          return server.ConfirmAuthenticatorApp?.(variables) ?? null;
        },
      ],
    ]);
    const { press } = await confirmApp(answers);
    await screen.findByText(/We could not confirm whether the app is set up/);
    await press('Cancel');
    isAway = false;
    await press('Set up an app');
    await screen.findByText('An app is already set up');
  });

  it('is not claimed to be in force where the server has none', async () => {
    await confirmApp(serverOf(none, 'ConfirmAuthenticatorApp'));
    await screen.findByText(/We could not confirm whether the app is set up/);
  });
});
