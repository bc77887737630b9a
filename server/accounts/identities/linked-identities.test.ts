import { FakeClock } from '../../kernel/clock.js';
import { tryAtOnce } from '../../test/at-once.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { LinkedIdentities } from './linked-identities.js';

describeOnEachDatabase('Linked sign-ins', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  it('are ten of an account at most, however many are linked at once', async () => {
    const { unitOfWork } = fixture;
    const notices = { compose: async () => async () => {} };
    const identities = new LinkedIdentities({ unitOfWork, clock: new FakeClock(), notices });
    const { accountId } = await fixture.createFundedAccount(0);
    const link = (n: number) => {
      const unnamed = { email: null, isEmailVerified: false, name: null, login: null };
      const identity = { issuer: 'https://id.test', subject: `${n}`, ...unnamed };
      return identities.link(accountId, { provider: 'id', identity });
    };
    for (let n = 0; n < 8; n += 1) await link(n);
    const { done, refusedAs } = await tryAtOnce(10, (n) => link(n + 8));
    expect([done, refusedAs]).toEqual([2, ['conflict']]);
    expect(await identities.list(accountId)).toHaveLength(10);
  });
});
