import { UnitOfWork } from '../../database/unit-of-work.js';
import { FakeClock } from '../../kernel/clock.js';
import { openSqliteDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { OperatorLog } from '../operator-log.js';
import type { OperatorCaller } from '../people/operator-sessions.js';
import { CreditDesk } from './credit-desk.js';
import { CreditRequestEntity } from './credit-request.entity.js';

const by: OperatorCaller = {
  ...{ operatorId: 'op_2', sessionId: 'ops_2', name: 'Ada', email: 'ada@example.com' },
  ...{ role: 'owner', isFresh: true },
};
const request: Omit<CreditRequestEntity, 'id' | 'state'> = {
  ...{ accountId: 'acct_1', amountMillicredits: 5_000, reason: 'Late', askedBy: 'op_1', askedAtMs: 1 },
  ...{ direction: 'grant', decidedBy: null, decidedAtMs: null },
};

describe('Credits for an account that was deleted since they were asked for', () => {
  it('are not offered again though they were approved, and cannot be approved, only refused', async () => {
    const fixture = await LedgerFixture.open(await openSqliteDatabase());
    const unitOfWork = new UnitOfWork(fixture.source);
    const clock = new FakeClock(Date.now());
    const log = new OperatorLog(unitOfWork, clock, 'a test');
    const desk = new CreditDesk({
      ...{ log, unitOfWork, clock, aloneMaxMillicredits: 0, desk: {} as never },
      ...{ findBelievedMs: async () => clock.nowMs(), hasAccount: async () => false },
    });
    await fixture.source.getRepository(CreditRequestEntity).insert([
      { ...request, id: 'creq_1', state: 'approved', decidedBy: 'op_3', decidedAtMs: 2 },
      { ...request, id: 'creq_2', state: 'waiting' },
    ]);
    expect((await desk.listWaiting()).map(({ id }) => id)).toEqual(['creq_2']);
    await expect(desk.approve(by, 'creq_2')).rejects.toMatchObject({ code: 'not_found' });
    await desk.refuse(by, 'creq_2', 'Its account is deleted');
    expect(await desk.listWaiting()).toEqual([]);
    await fixture.close();
  });
});
