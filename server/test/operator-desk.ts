import { totpCodeAt } from '../factors/totp.js';
import { createId } from '../kernel/ids.js';
import type { OperatorRole } from '../operator/operator-access.js';
import { hashToken } from '../operator/people/operator-sessions.js';
import { answerOf, type BrowserAnswer, type CookieBrowser } from './cookie-browser.js';
import type { FactorApp } from './factor-app.js';

export const operatorPassword = 'a long enough operator’s password';

/** An operator with a browser, an app for codes, and a clock that moves on so that each code is a new one. */
export class TestOperator {
  private constructor(
    private readonly of: FactorApp,
    readonly browser: CookieBrowser,
    readonly email: string,
    readonly id: string,
    private readonly secret: string,
  ) {}

  /** Joins by a link that the test puts into the database, or by this one. */
  static async join(
    of: FactorApp,
    role: OperatorRole,
    email = `${role}-${createId('operator')}@tollgate.test`,
    link: string | null = null,
  ) {
    const token = link ?? (await putInvitation(of, role));
    const browser = of.newBrowser();
    const { secret } = answerOf<{ startJoining: { secret: string } }>(
      await browser.ask('mutation ($token: String!) { operator { startJoining(token: $token) { secret } } }', {
        token,
      }),
    ).startJoining;
    const code = totpCodeAt(secret, of.clock.nowMs());
    const input = { token, email, name: `The ${role}`, password: operatorPassword, code };
    answerOf(
      await browser.ask('mutation ($input: OperatorJoinInput!) { operator { join(input: $input) } }', { input }),
    );
    const { me } = answerOf<{ me: { id: string } }>(await browser.ask('{ operator { me { id } } }'));
    return new TestOperator(of, browser, email, me.id, secret);
  }

  /** One that all tests of the suite around it share, as they share this application. */
  static forAll(of: FactorApp, role: OperatorRole, email?: string): TestOperator {
    const operator = Object.create(TestOperator.prototype) as TestOperator;
    beforeAll(async () => Object.assign(operator, await TestOperator.join(of, role, email)), 60_000);
    return operator;
  }

  /** The code of a period of which none was used. */
  nextCode(): string {
    this.of.clock.advanceMs(30_000);
    return totpCodeAt(this.secret, this.of.clock.nowMs());
  }

  /** Proves by a code that nobody else has the session, as changes of weight want it. */
  prove(): Promise<BrowserAnswer> {
    return this.change('prove(code: $code)', { code: this.nextCode() });
  }

  /** Asks one query of the operators' part. */
  ask(field: string, variables: Readonly<Record<string, unknown>> = {}): Promise<BrowserAnswer> {
    return this.browser.ask(`query ${declare(variables)} { operator { ${field} } }`, variables);
  }

  /** Asks one change of the operators' part. */
  change(field: string, variables: Readonly<Record<string, unknown>> = {}): Promise<BrowserAnswer> {
    return this.browser.ask(`mutation ${declare(variables)} { operator { ${field} } }`, variables);
  }
}

/** A link that lets one person in. @returns what stands behind its #. */
export async function putInvitation(of: FactorApp, role: OperatorRole): Promise<string> {
  const token = createId('operatorInvitation');
  const expiresAtMs = of.clock.nowMs() + 24 * 60 * 60_000;
  await of.app.query(
    `INSERT INTO operator_invitation (id, token_hash, role, expires_at_ms) VALUES ('${createId('operatorInvitation')}', '${hashToken(token)}', '${role}', ${expiresAtMs})`,
  );
  return token;
}

const types: Readonly<Record<string, string>> = {
  id: 'ID!',
  accountId: 'ID!',
  keyId: 'ID!',
  role: 'OperatorRole!',
  credit: 'OperatorCreditInput!',
  refund: 'OperatorRefundInput!',
  provider: 'OperatorProviderInput!',
  providerKey: 'OperatorProviderKeyInput!',
  weight: 'Int!',
  number: 'Int!',
  prices: 'OperatorPricesInput!',
  group: 'OperatorPriceGroupInput!',
  priced: 'OperatorPricedAccountInput!',
  preview: 'OperatorPricePreviewInput!',
  signIn: 'OperatorSignInInput!',
  join: 'OperatorJoinInput!',
  block: 'OperatorSignUpBlockInput!',
  signUpMode: 'OperatorSignUpModeInput!',
  signUpInvite: 'OperatorInviteInput!',
  accountLimits: 'OperatorAccountLimitsInput!',
  view: 'OperatorCustomerViewInput!',
  token: 'OperatorTokenInput!',
  passkey: 'OperatorPasskeyInput!',
  passkeyProof: 'OperatorPasskeyProofInput!',
  passkeySignIn: 'OperatorPasskeySignInInput!',
  deletion: 'OperatorAccountDeletionInput!',
  file: 'OperatorAccountExportInput!',
  mark: 'OperatorRiskMarkInput!',
  gift: 'OperatorGiftCodesInput!',
  retention: 'OperatorReceiptRetentionInput!',
  announcement: 'OperatorAnnouncementInput!',
};

function declare(variables: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(variables);
  return names.length === 0 ? '' : `(${names.map((name) => `$${name}: ${types[name] ?? 'String!'}`).join(', ')})`;
}
