import { actAs, findStanding } from '../../audit/acting.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { createId } from '../../kernel/ids.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import type { OperatorCaller } from './operator-sessions.js';
import { operatorStanding } from './operator-standing.js';

describeOnEachDatabase('What an operator has asked for before they were ended', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let unitOfWork: UnitOfWork;
  let grace: OperatorCaller;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    unitOfWork = new UnitOfWork(fixture.source, findStanding);
    const operatorId = createId('operator');
    const sessionId = createId('operatorSession');
    grace = { operatorId, sessionId, name: 'Grace', email: 'grace@tollgate.test', role: 'owner', isFresh: true };
    await fixture.source.manager.insert('operator', {
      ...{ id: operatorId, email: grace.email, emailNormalised: grace.email, name: 'Grace', passwordHash: 'h' },
      ...{ sealedSecret: 's', lastStep: 0, role: 'owner', createdAtMs: 0, disabledAtMs: null },
    });
    await fixture.source.manager.insert('operator_session', {
      ...{ id: sessionId, operatorId, tokenHash: 'h', createdAtMs: 0, lastUsedAtMs: 0, provedAtMs: 0 },
    });
  });
  afterEach(() => fixture.close());

  const change = (caller: OperatorCaller) => {
    const rename = () => unitOfWork.transact((transaction) => transaction.query(`UPDATE operator SET name = 'Late'`));
    return actAs(null, rename, operatorStanding(caller));
  };
  const readName = async () => (await fixture.source.query('SELECT name FROM operator'))[0].name;

  it.each([
    ['they were disabled', 'UPDATE operator SET disabled_at_ms = 1'],
    ['their role was changed', `UPDATE operator SET role = 'support'`],
    ['their session ended', 'DELETE FROM operator_session'],
  ])('is refused once %s, and changes nothing', async (_, end) => {
    await fixture.source.query(end);
    await expect(change(grace)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await readName()).toBe('Grace');
  });

  it('is done while they may, and not by a token that was taken back', async () => {
    await expect(change({ ...grace, tokenName: 'script' })).rejects.toMatchObject({ code: 'unauthenticated' });
    await change(grace);
    expect(await readName()).toBe('Late');
  });
});
