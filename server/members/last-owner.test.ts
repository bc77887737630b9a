import { setTimeout as sleep } from 'node:timers/promises';
import { AccountDeletion } from '../accounts/account-deletion.js';
import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import type { Ledger } from '../ledger/ledger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { firstPassword, type Person } from '../test/recovery-people.js';
import { TeamPeople } from '../test/team-people.js';
import { Memberships } from './memberships.js';

const conflict = { code: 'conflict' };

class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

describeOnEachDatabase('The last owner of an account of others', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let team: TeamPeople;
  let ada: Person;
  let bob: Person;
  let carol: Person;

  /** Ada’s account, owned by Bob and Carol. */
  beforeEach(async () => {
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
    bob = await team.joinAs(ada, 'owner', 'bob@example.com');
    carol = await team.joinAs(ada, 'owner', 'carol@example.com');
    await team.memberships.setRole({ ...team.change(ada, bob, ada), role: 'viewer' });
  });

  const membersWhichNote = (note: () => Promise<void>) => {
    const noted = { number: 0, changed: { accountId: ada.accountId, keyId: null } };
    const noteOnce = async () => {
      await note();
      return noted;
    };
    const keyChanges = { note: noteOnce, takenOver: async () => {} };
    const payers = openTopUpPayers({
      outbox: { put: async () => false },
      clock: team.clock,
      publicUrl: 'http://tollgate.test',
    });
    return new Memberships({ unitOfWork: team.unitOfWork, clock: team.clock, keyChanges, payers });
  };
  const leaving = (members: Memberships, { accountId: personId }: Person, revokeKeys = false) =>
    members.leave({ accountId: ada.accountId, personId }, { revokeKeys });

  /** Deletes Bob’s own account. @param onWallet runs when his wallet is about to be closed. */
  const deleteBob = async (onWallet: () => unknown) => {
    const setWalletState: Ledger['setWalletState'] = async (input) => {
      await onWallet();
      return fixture.ledger.setWalletState(input);
    };
    const { unitOfWork, clock, memberships: members } = team;
    const keyChanges = { note: async () => null, takenOver: async () => {} };
    const [{ passwordHash }] = await fixture.source.query(
      `SELECT password_hash AS passwordHash FROM account WHERE id = '${bob.accountId}'`,
    );
    const deletion = new AccountDeletion({ members, unitOfWork, clock, keyChanges, ledger: { setWalletState } });
    await deletion.delete({ id: bob.accountId, passwordHash });
  };
  const ownersOf = async ({ accountId }: Person) =>
    (await team.memberships.listMembers(accountId)).filter(({ role }) => role === 'owner').map(({ email }) => email);

  it('stays where the other one leaves while that one’s own account is being deleted', async () => {
    let left: Promise<void> = Promise.resolve();
    await deleteBob(async () => {
      left = leaving(team.memberships, carol);
      await left.catch(() => {});
    });
    await expect(left).rejects.toMatchObject(conflict);
    expect(await ownersOf(ada)).toEqual([carol.email]);
  });

  it('keeps their own account where the other one is leaving at the same moment', async () => {
    const [mayCommit, isUnderWay, walletIsAsked] = [new Gate(), new Gate(), new Gate()];
    const members = membersWhichNote(async () => {
      isUnderWay.open();
      await mayCommit.opened;
    });
    const left = leaving(members, carol, true);
    await isUnderWay.opened;
    const deleted = deleteBob(() => walletIsAsked.open()).catch((error: unknown) => error);
    await Promise.race([walletIsAsked.opened, sleep(300)]);
    mayCommit.open();
    await left;
    expect(await deleted).toMatchObject(conflict);
    expect(await ownersOf(ada)).toEqual([bob.email]);
    const wallets = await fixture.source.query(`SELECT state FROM ledger_account WHERE id = '${bob.accountId}'`);
    expect(wallets).toEqual([{ state: 'open' }]);
    expect(await team.letsIn(bob.email, firstPassword)).toBe(true);
  });

  it('is never lost when two owners delete their own accounts at once, however they meet', async () => {
    const proof = ({ viewer }: Person) => ({ viewer, password: firstPassword, address: '192.0.2.1' });
    const ends = await Promise.allSettled(
      [bob, carol].map((person) => team.services.settings.deleteAccount(proof(person))),
    );
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await ownersOf(ada)).toHaveLength(1);
  });
});
