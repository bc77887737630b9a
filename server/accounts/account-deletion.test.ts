import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import type { Ledger } from '../ledger/ledger.js';
import { Memberships } from '../members/memberships.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { AccountDeletion } from './account-deletion.js';
import { LeftWallets } from './left-wallets.js';

describeOnEachDatabase('The deletion of an account', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let accountId: string;
  let unitOfWork: UnitOfWork;
  beforeEach(async () => {
    unitOfWork = fixture.unitOfWork;
    ({ accountId } = await fixture.createFundedAccount(1_000));
  });

  const open = (ledger: Pick<Ledger, 'setWalletState'> = fixture.ledger) => {
    const clock = new FakeClock();
    const keyChanges = new OneProcessKeyChanges(clock);
    const payers = openTopUpPayers({ outbox: { put: async () => false }, clock, publicUrl: 'http://tollgate.test' });
    const members = new Memberships({ unitOfWork, clock, keyChanges, payers });
    return new AccountDeletion({ members, unitOfWork, keyChanges, ledger, clock });
  };
  const read = async (id = accountId) => {
    const [row] = await fixture.source.query(
      `SELECT w.state, a.closed_at_ms FROM account a JOIN ledger_account w ON w.id = a.id WHERE a.id = '${id}'`,
    );
    return { wallet: row.state, isDeleted: row.closed_at_ms !== null };
  };

  it('that is refused because the account was changed meanwhile leaves its wallet open', async () => {
    const asItWas = { id: accountId, passwordHash: 'the one before' };
    await expect(open().delete(asItWas)).rejects.toMatchObject({ code: 'conflict' });
    expect(await read()).toEqual({ wallet: 'open', isDeleted: false });
    await open().delete({ id: accountId, passwordHash: 'x' });
    expect(await read()).toEqual({ wallet: 'closed', isDeleted: true });
  });

  it('that fails before its transaction is over leaves its wallet open', async () => {
    const fails = () => Promise.reject(new Error('The database went away.'));
    await expect(open().delete({ id: accountId, passwordHash: 'x' }, fails)).rejects.toThrow('went away');
    expect(await read()).toEqual({ wallet: 'open', isDeleted: false });
  });

  it('whose wallet could not be closed has it closed later, and no other one', async () => {
    const living = (await fixture.createFundedAccount(1_000)).accountId;
    const away = { setWalletState: () => Promise.reject(new AppError('service_unavailable', 'Away.')) };
    await open(away).delete({ id: accountId, passwordHash: 'x' });
    expect(await read()).toEqual({ wallet: 'open', isDeleted: true });
    await new LeftWallets({ unitOfWork, ledger: fixture.ledger, logger: silentLogger }).closeLeft();
    expect(await read()).toEqual({ wallet: 'closed', isDeleted: true });
    expect(await read(living)).toEqual({ wallet: 'open', isDeleted: false });
  });
});
