import { mock } from 'node:test';
import type { AppError } from '../../kernel/app-error.js';
import { openMemoryCounter } from '../../kernel/attempt-counter.js';
import { FakeClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { recordStatements } from '../../test/record-statements.js';
import { AccountEntity } from '../account.entity.js';
import { AccountService, type RequestOrigin } from '../account-service.js';
import { openSignUpGate } from '../sign-up/sign-up-gate.js';
import { SignUpThrottle } from '../sign-up/sign-up-throttle.js';
import { SignupGifts } from '../sign-up/signup-gift.js';
import { KnownDevices } from './known-devices.js';
import { Passwords } from './passwords.js';
import { SessionService } from './session-service.js';
import { noSignInFactors } from './sign-in-factors.js';
import { SignInThrottle } from './sign-in-throttle.js';

/*
 * Whether there is an account must not show in how an attempt is refused, nor in how long that takes. Time is not measured here;
 * what is counted is the work that takes it: the statements, and the passwords checked.
 */
const rightPassword = 'a long enough password';
const somewhere: RequestOrigin = { address: '192.0.2.1', userAgent: 'test', deviceTokens: [] };
const foreignDevice = { ...somewhere, deviceTokens: ['A'.repeat(43)] };

class CountedPasswords extends Passwords {
  checked = 0;

  // Without a hash it checks one of the same cost: `passwords.test.ts`.
  override isPasswordOf(passwordHash: string | null, password: string): Promise<boolean> {
    this.checked += 1;
    return super.isPasswordOf(passwordHash, password);
  }
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly checked: number;
  readonly statements: readonly string[];
}

describeOnEachDatabase('An attempt to sign in that is refused', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let passwords: CountedPasswords;
  let accounts: AccountService;
  let statements: string[] = [];

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    const clock = new FakeClock();
    const { unitOfWork } = fixture;
    const common = { unitOfWork, ledger: fixture.ledger, clock, logger: silentLogger };
    passwords = new CountedPasswords();
    accounts = new AccountService({
      ...{
        ...common,
        passwords,
        throttle: new SignInThrottle(openMemoryCounter),
        signUpGate: openSignUpGate,
        signUpThrottle: new SignUpThrottle(openMemoryCounter, 100),
      },
      sessions: new SessionService(unitOfWork, clock),
      devices: new KnownDevices(unitOfWork, clock),
      factors: noSignInFactors,
      verifications: { greet: async () => {}, remind: async () => {} },
      signupGifts: new SignupGifts({ ...common, signupMillicredits: 0, limits: { perNetworkMax: 0, perHourMax: 0 } }),
    });
    for (const name of ['unproven', 'verified', 'finished']) {
      await accounts.signUp({
        email: `${name}@example.com`,
        password: rightPassword,
        name: 'A Person',
        from: somewhere,
      });
    }
    const change = (email: string, columns: Partial<AccountEntity>) =>
      unitOfWork.transact((transaction) => transaction.update(AccountEntity, { emailNormalised: email }, columns));
    await change('verified@example.com', { emailVerifiedAtMs: 1 });
    await change('finished@example.com', { closedAtMs: 1 });
    statements = await recordStatements(fixture.source);
  });
  afterEach(async () => {
    mock.restoreAll();
    await fixture.close();
  });

  async function refuse(
    name: string,
    from: RequestOrigin = somewhere,
    password = 'another long password',
  ): Promise<Refusal> {
    statements.length = 0;
    passwords.checked = 0;
    const attempt = accounts.signIn({ email: `${name}@example.com`, password, from });
    const { code, message } = (await attempt.then(
      () => ({ code: 'let in', message: '' }),
      (error: AppError) => error,
    )) as AppError;
    return { code, message, checked: passwords.checked, statements: [...statements] };
  }

  it.each([
    ['from an unknown browser', somewhere],
    ['from a browser of another account', foreignDevice],
  ])(
    'costs the same statements and one password, %s, whether its account is unknown, unverified, verified or closed',
    async (_, from) => {
      const unknown = await refuse('somebody', from);
      expect(unknown).toMatchObject({ code: 'unauthenticated', checked: 1 });
      expect(unknown.statements.length).toBe(1 + from.deviceTokens.length);
      for (const name of ['unproven', 'verified', 'finished']) expect(await refuse(name, from)).toEqual(unknown);
      // Of a closed account not even the right one tells.
      expect(await refuse('finished', from, rightPassword)).toEqual(unknown);
    },
  );

  it('costs the same and says the same when it is one too many, from one network and from many', async () => {
    const tryOften = async (name: string, network: number) => {
      const from = { ...somewhere, address: `198.51.${network}.1` };
      for (let n = 0; n < 10; n += 1) await refuse(name, from);
      const one = await refuse(name, from);
      // Narrowed by now: three from each further network.
      const other = { ...somewhere, address: `203.0.${network}.1` };
      for (let n = 0; n < 3; n += 1) await refuse(name, other);
      return [one, await refuse(name, other), await refuse(name, other, rightPassword)];
    };
    const unknown = await tryOften('somebody', 1);
    expect(unknown.map(({ code, checked }) => [code, checked])).toEqual(Array(3).fill(['rate_limit_exceeded', 0]));
    expect(await tryOften('unproven', 2)).toEqual(unknown);
    expect(await tryOften('verified', 3)).toEqual(unknown);
  });
});
