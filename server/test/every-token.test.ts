import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { FakeClock } from '../kernel/clock.js';
import { hashToken } from '../operator/people/operator-sessions.js';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { type BrowserAnswer, CookieBrowser, reasonOf } from './cookie-browser.js';
import { TestApp } from './create-test-app.js';
import { openSqliteDatabase } from './each-database.js';
import { testSecretsKey } from './factor-app.js';

const newPassword = 'four words that do not match';
const minuteMs = 60_000;

/** A token of a mailed link: how it is put into the database, as if its mail had left, and who sends it to what. */
interface TokenKind {
  readonly prefix: string;
  /** The operations of the schema that take it; the first is the one that uses it up. */
  readonly operations: readonly string[];
  readonly send: (browser: CookieBrowser, token: string) => Promise<BrowserAnswer>;
  readonly put: (owner: Owner, token: string, endsAtMs: number) => Promise<void>;
  /** Opened several times until somebody has gone through with it. */
  readonly isReopened?: boolean;
  /** Looked up for whoever is signed in alone. */
  readonly isForSession?: boolean;
  /** What whoever used it is told when they send it again; left out: the same as of a token that is none. */
  readonly usedReason?: string;
}

interface Owner {
  readonly accountId: string;
  readonly email: string;
  readonly browser: CookieBrowser;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Every token of a link', () => {
  const clock = new FakeClock(Date.now());
  const settings = { TRUST_PROXY: '1', SECRETS_KEY: testSecretsKey, SIGNUPS_PER_HOUR: '1000' };
  const app = TestApp.forAll(openSqliteDatabase, settings, clock);
  let people = 0;

  const newBrowser = () => {
    people += 1;
    return new CookieBrowser(app, `198.51.${people % 250}.${Math.floor(people / 250) + 1}`);
  };
  const signUp = async (): Promise<Owner> => {
    const browser = newBrowser();
    const email = `owner-${people}@example.com`;
    return { accountId: await browser.signUp(email), email, browser };
  };
  const byToken = (operation: string) => (browser: CookieBrowser, token: string) =>
    browser.ask(`mutation ($token: String!) { ${operation}(token: $token) }`, { token });
  const byInput = (operation: string, type: string) => (browser: CookieBrowser, token: string) =>
    browser.ask(`mutation ($input: ${type}!) { ${operation}(input: $input) }`, { input: { token, newPassword } });
  const putLink = (purpose: string, emailOf: (owner: Owner) => string): TokenKind['put'] => {
    return async (owner, token, endsAtMs) => {
      people += 1;
      const values = [`link_${people}`, owner.accountId, purpose, emailOf(owner), emailOf(owner), sha256(token)];
      await app.query(
        `INSERT INTO account_link (id, account_id, purpose, email, email_normalised, token_hash, created_at_ms, expires_at_ms) VALUES ('${values.join("', '")}', 0, ${endsAtMs})`,
      );
    };
  };

  const kinds: Readonly<Record<string, TokenKind>> = {
    'a verification': {
      prefix: 'tgv_',
      operations: ['verifyEmail'],
      send: byToken('verifyEmail'),
      // Beside the row of the sign-up, whose mail may leave just now.
      put: async ({ accountId }, token, endsAtMs) =>
        void (await app.query(
          `INSERT INTO email_verification (id, account_id, address_hash, token_hash, created_at_ms, expires_at_ms) SELECT 'x${accountId}', account_id, address_hash, '${sha256(token)}', created_at_ms, ${endsAtMs} FROM email_verification WHERE account_id = '${accountId}'`,
        )),
    },
    'a new password': {
      prefix: 'tgl_',
      operations: ['resetPassword'],
      send: byInput('resetPassword', 'ResetPasswordInput'),
      put: putLink('reset_password', ({ email }) => email),
    },
    'another address': {
      prefix: 'tgl_',
      operations: ['confirmEmailChange'],
      send: byToken('confirmEmailChange'),
      put: putLink('confirm_email', ({ email }) => `new-${email}`),
    },
    'the former address': {
      prefix: 'tgl_',
      operations: ['undoEmailChange'],
      send: byInput('undoEmailChange', 'UndoEmailChangeInput'),
      put: putLink('undo_email', ({ email }) => `old-${email}`),
    },
    'an invitation': {
      prefix: 'tgi_',
      operations: ['acceptInvitation', 'declineInvitation', 'invitationOffer'],
      isForSession: true,
      // Whose answer was lost asks again, and has joined.
      usedReason: 'conflict',
      send: byToken('acceptInvitation'),
      put: async ({ email }, token, endsAtMs) => {
        const host = await signUp();
        const id = `invi_${people}`;
        const values = [id, host.accountId, email, email, 'viewer', host.accountId, sha256(token)];
        await app.query(
          `INSERT INTO invitation (id, account_id, email, email_normalised, role, invited_by, token_hash, created_at_ms, expires_at_ms) VALUES ('${values.join("', '")}', 0, ${endsAtMs})`,
        );
      },
    },
    'lost factors': {
      prefix: 'tgf_',
      operations: ['startFactorRecovery'],
      send: byToken('startFactorRecovery'),
      put: async ({ accountId }, token, endsAtMs) =>
        void (await app.query(
          `INSERT INTO factor_recovery (account_id, link_id, token_hash, link_ends_at_ms) VALUES ('${accountId}', '${accountId}', '${sha256(token)}', ${endsAtMs})`,
        )),
    },
    'an operator': {
      prefix: '',
      operations: ['operator.join', 'operator.startJoining'],
      isReopened: true,
      send: (browser, token) =>
        browser.ask('mutation ($token: String!) { operator { startJoining(token: $token) { role } } }', { token }),
      put: async ({ accountId }, token, endsAtMs) =>
        void (await app.query(
          `INSERT INTO operator_invitation (id, token_hash, role, expires_at_ms) VALUES ('${accountId}', '${hashToken(token)}', 'support', ${endsAtMs})`,
        )),
    },
  };
  const names = Object.keys(kinds);
  const kindOf = (name: string) => kinds[name] as TokenKind;
  const mint = async (name: string, endsAtMs = clock.nowMs() + minuteMs) => {
    const { prefix, put } = kindOf(name);
    const owner = await signUp();
    const token = `${prefix}${randomBytes(32).toString('base64url')}`;
    await put(owner, token, endsAtMs);
    return { owner, token };
  };
  /** What a token is answered with that is none: the same for all of them. */
  const refusals = async (name: string, browser: CookieBrowser, tokens: readonly string[]) =>
    new Set(await Promise.all(tokens.map(async (token) => reasonOf(await kindOf(name).send(browser, token)))));

  it('has its row in this table: so do all operations of the schema that take one', () => {
    const root = findRepositoryRoot(import.meta.dirname);
    const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));
    const listed = (type: GraphQLObjectType | null | undefined, path: string) =>
      Object.values(type?.getFields() ?? {}).flatMap(({ name, args }) => {
        const takes = args.some((arg) => {
          const input = getNamedType(arg.type);
          const fields = isInputObjectType(input) ? (input as GraphQLInputObjectType).getFields() : {};
          return arg.name === 'token' || 'token' in fields;
        });
        return takes ? [`${path}${name}`] : [];
      });
    const found = [
      ...listed(schema.getQueryType(), ''),
      ...listed(schema.getMutationType(), ''),
      ...listed(schema.getType('OperatorMutation') as GraphQLObjectType, 'operator.'),
    ];
    // That of a shared receipt shows one receipt to whoever has the link, as often as they look. That of a begun sign-in opens nothing
    // without what a passkey has signed for it, once: `operator-passkeys.test.ts`.
    const others = ['sharedReceipt', 'operator.finishPasskeySignIn'];
    const known = [...others, ...Object.values(kinds).flatMap(({ operations }) => operations)];
    expect(found.toSorted()).toEqual(known.toSorted());
  });

  it.each(names)('to %s cannot be guessed, and guesses do it no harm', async (name) => {
    const { owner, token } = await mint(name);
    const { prefix, send, isForSession } = kindOf(name);
    const guesses = [
      ...[prefix || 'x', `${prefix}${'a'.repeat(43)}`, `${prefix}${randomBytes(32).toString('base64url')}`],
      ...[`${token}x`, token.slice(0, -1), token.toUpperCase(), ` ${token}`, sha256(token), "' OR 1=1 --", '%', '_'],
    ];
    const stranger = isForSession ? (await signUp()).browser : newBrowser();
    for (const browser of [stranger, owner.browser]) {
      expect(await refusals(name, browser, guesses)).toEqual(new Set(['not_found']));
    }
    expect(reasonOf(await send(owner.browser, token))).toBe('done');
  });

  it.each(names)('to %s opens nothing else, and no other one opens this', async (name) => {
    const { owner, token } = await mint(name);
    for (const other of names.filter((one) => one !== name)) {
      expect([other, await refusals(other, owner.browser, [token])]).toEqual([other, new Set(['not_found'])]);
    }
    expect(reasonOf(await kindOf(name).send(owner.browser, token))).toBe('done');
  });

  it.each(names)('to %s is good until its end, and not from then on', async (name) => {
    const { send } = kindOf(name);
    const over = await mint(name, clock.nowMs());
    expect(reasonOf(await send(over.owner.browser, over.token))).toBe('not_found');
    const last = await mint(name, clock.nowMs() + 1);
    expect(reasonOf(await send(last.owner.browser, last.token))).toBe('done');
  });

  it.each(names.filter((name) => !kindOf(name).isReopened))(
    'to %s is used by one of five at once, and by nobody again',
    async (name) => {
      const { owner, token } = await mint(name);
      const { send, usedReason = 'not_found' } = kindOf(name);
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(owner.browser, token)));
      expect(answers.map(reasonOf).toSorted()).toEqual(['done', ...Array(4).fill(usedReason)].toSorted());
      expect(reasonOf(await send(owner.browser, token))).toBe(usedReason);
      expect(reasonOf(await send((await signUp()).browser, token))).toBe('not_found');
    },
  );

  it.each(names)('to %s does to another account nothing, whichever session sends it', async (name) => {
    const { owner, token } = await mint(name);
    const other = await signUp();
    const rowOf = async ({ accountId }: Owner) =>
      JSON.stringify([
        await app.query(`SELECT * FROM account WHERE id = '${accountId}'`),
        await app.query(`SELECT * FROM factor_recovery WHERE account_id = '${accountId}'`),
        await app.query(`SELECT * FROM membership WHERE person_id = '${accountId}'`),
      ]);
    const before = await rowOf(other);
    const reason = reasonOf(await kindOf(name).send(other.browser, token));
    // An invitation is for a person; the others are for whoever can read the mail, and are about the account they were made for.
    expect(reason).toBe(kindOf(name).isForSession ? 'forbidden' : 'done');
    expect(await rowOf(other)).toBe(before);
    if (kindOf(name).isForSession) expect(reasonOf(await kindOf(name).send(owner.browser, token))).toBe('done');
  });

  it('of a session is good for its own, in no other form, and not once it has ended', async () => {
    const { browser, accountId } = await signUp();
    const token = browser.cookie('sid');
    const viewerBy = async (sid: string) =>
      (await new CookieBrowser(app, '198.51.100.9', { sid }).ask('{ viewer { id } }')).data?.viewer ?? null;
    expect(await viewerBy(token)).toEqual({ id: accountId });
    for (const guess of [`${token}x`, token.slice(0, -1), token.toUpperCase(), sha256(token), "'%20OR%201=1"]) {
      expect([guess, await viewerBy(guess)]).toEqual([guess, null]);
    }
    await browser.ask('mutation { signOut }');
    expect(await viewerBy(token)).toBeNull();
  });
});
