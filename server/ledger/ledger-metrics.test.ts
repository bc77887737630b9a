import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { listLedgerMetrics } from './ledger-metrics.js';

describeOnEachDatabase('The figures of the ledger', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  it('are told without what waits on a disk that cannot be read', async () => {
    const { activity } = fixture.ledger;
    const findSettlementStanding = async () => {
      throw Object.assign(new Error('EIO: i/o error, scandir'), { code: 'EIO' });
    };
    const audit = { verifiedAtMs: 1_000, allVerifiedAtMs: 1_000, violations: 3, failingSinceMs: null };
    const ledger = { activity, findSettlementStanding, leases: null, queuedCount: 0 };
    const metrics = await listLedgerMetrics(ledger, { audit }, fixture.unitOfWork);
    const names = metrics.map(({ name }) => name);
    expect(metrics.find(({ name }) => name === 'tollgate_ledger_violations')?.value).toBe(3);
    expect(names).toContain('tollgate_ledger_open_holds');
    expect(names).not.toContain('tollgate_ledger_kept_settlements');
  });
});
