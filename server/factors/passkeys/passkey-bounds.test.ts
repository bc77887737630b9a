import { FakeClock } from '../../kernel/clock.js';
import { passkeysOfOperators } from '../../operator/people/operator-passkeys.js';
import { tryAtOnce } from '../../test/at-once.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { SoftwarePasskey } from '../../test/software-passkey.js';
import { PendingProofs } from '../pending-proofs.js';
import { Passkeys, passkeysOfAccounts } from './passkeys.js';

describeOnEachDatabase('Passkeys that are added at once', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  const insertOperator = async () => {
    await fixture.source.query(
      `INSERT INTO operator (id, email, email_normalised, name, role, password_hash, sealed_secret, last_step, created_at_ms)
       VALUES ('oper_1', 'o@example.com', 'o@example.com', 'O', 'owner', 'h', 's', 0, 0)`,
    );
    return 'oper_1';
  };

  it.each([
    ['an account', passkeysOfAccounts, async () => (await fixture.createFundedAccount(0)).accountId],
    ['an operator', passkeysOfOperators, insertOperator],
  ] as const)('are twenty of %s at most', async (_, of, makeHolder) => {
    const [unitOfWork, clock] = [fixture.unitOfWork, new FakeClock()];
    const pendingProofs = new PendingProofs(unitOfWork, clock);
    const passkeys = new Passkeys({ unitOfWork, clock, pendingProofs, publicUrl: 'http://tollgate.test', of });
    const accountId = await makeHolder();
    // Each in a session of its own, begun before any is added.
    const begun = async (n: number) => {
      const holder = { accountId, sessionId: `session ${n}` };
      const response = new SoftwarePasskey().create(await passkeys.startNew(holder, 'Somebody'));
      return () => passkeys.add(holder, { name: `Key ${n}`, response }, async () => {});
    };
    const adding: (() => Promise<unknown>)[] = [];
    for (let n = 0; n < 28; n += 1) adding.push(await begun(n));
    for (const add of adding.slice(0, 18)) await add();
    const late = adding.slice(18);
    const { done, refusedAs } = await tryAtOnce(late.length, (n) => (late[n] as () => Promise<unknown>)());
    expect([done, refusedAs]).toEqual([2, ['conflict']]);
    expect(await passkeys.list(accountId)).toHaveLength(20);
  });
});
