import { silentLogger } from '../../kernel/logger.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { UsageSummer } from '../sums/usage-summer.js';
import { type ExploreQuestion, Explorer } from './explore.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstDay = Date.UTC(2026, 4, 31);
const days = 4;
const endMs = firstDay + days * dayMs;
/** Each hour has 300. */
const count = days * 24 * 300;

/** By tag and end user together 7,500 receipts are read, half of them where the time before is told, too. */
describeOnEachDatabase('Explorer, of more calls than are read at once', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let account: { accountId: string; keyId: string };

  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    account = await fixture.createFundedAccount(0);
    const calls = { fromMs: firstDay, toMs: endMs, marks: { tags: 3, endUsers: 5 }, hasJournal: false };
    await insertBulkCalls(fixture.source, { ...account, ...calls, count });
    await fixture.source.query('UPDATE usage_hour SET told_calls = calls, cached_tokens = 0, reasoning_tokens = 0');
  });
  afterAll(() => fixture.closeUnproven());

  const ask = (changes: Partial<ExploreQuestion> = {}) =>
    new Explorer(fixture.unitOfWork).explore({
      ...{ accountId: account.accountId, fromMs: firstDay, toMs: endMs, bucket: 'day', metric: 'cost' },
      ...{ groupings: ['tag', 'end_user'], filter: {}, groupsMax: 50, isCompared: false, mayBePartial: true },
      ...changes,
    });
  const sumPlainly = async (fromMs: number, toMs = endMs) => {
    const [row] = await fixture.source.query(
      `SELECT COUNT(*) AS calls, SUM(charged_millicredits) AS charged FROM call_record
       WHERE account_id = '${account.accountId}' AND started_at_ms >= ${fromMs} AND started_at_ms < ${toMs}`,
    );
    return { calls: Number(row.calls), chargedMillicredits: Number(row.charged) };
  };

  it('tells the newest calls by tag and end user together exactly, and from when on', async () => {
    const report = await ask();
    const fromMs = endMs - 25 * hourMs;
    expect(report.coveredFromMs).toBe(fromMs);
    expect(report.starts).toEqual([fromMs, endMs - dayMs]);
    expect(report.total.sums).toMatchObject(await sumPlainly(fromMs));
    expect(report.total.sums.calls).toBe(25 * 300);
    expect(report.groups.reduce((sum, { total }) => sum + total.sums.calls, 0)).toBe(25 * 300);
    const narrowed = await ask({ groupings: ['model'], filter: { tag: ['tag-1'], end_user: ['user-2'] } });
    expect(narrowed.coveredFromMs).toBe(fromMs);
  });

  it('tells the same hours before beside half as many calls, and nothing of a time before that it cannot tell whole', async () => {
    const compared = await ask({ isCompared: true });
    const fromMs = endMs - 12 * hourMs;
    expect(compared.coveredFromMs).toBe(fromMs);
    expect(compared.previous?.fromMs).toBe(fromMs - dayMs);
    expect(compared.previous?.total.sums).toMatchObject(await sumPlainly(fromMs - dayMs, endMs - dayMs));
  });

  it('tells all of a time that is not too long, and of any that is divided by one of both', async () => {
    const short = await ask({ fromMs: endMs - dayMs });
    expect(short.coveredFromMs).toBeNull();
    expect(short.total.sums.calls).toBe(24 * 300);
    for (const groupings of [['tag'], ['end_user', 'model'], ['model'], []] as const) {
      const report = await ask({ groupings });
      expect(report.coveredFromMs).toBeNull();
      expect(report.total.sums.calls).toBe(count);
    }
  });

  it('refuses nothing by itself to whoever has not said that a part will do', async () => {
    const report = await ask({ mayBePartial: false });
    expect(report.coveredFromMs).toBeNull();
    expect(report.total.sums).toMatchObject(await sumPlainly(firstDay));
  });

  it('begins behind months whose receipts were removed, which are refused to whoever has not said that a part will do', async () => {
    const monthMs = Date.UTC(2026, 4, 1);
    const juneMs = Date.UTC(2026, 5, 1);
    await fixture.source.query(
      `INSERT INTO sealed_month VALUES ('${account.accountId}', ${monthMs}, ${juneMs}, 1, 0, 0, 0, 0, 0)`,
    );
    for (const groupings of [['tag'], ['status', 'model']] as const) {
      const report = await ask({ groupings, isCompared: true });
      expect(report.coveredFromMs).toBe(juneMs);
      expect(report.total.sums).toMatchObject(await sumPlainly(juneMs));
      expect(report.previous).toBeNull();
      await expect(ask({ groupings, mayBePartial: false })).rejects.toMatchObject({ param: 'from' });
    }
    const whole = await ask({ groupings: ['model'], isCompared: true });
    expect(whole).toMatchObject({ coveredFromMs: null, total: { sums: await sumPlainly(firstDay) } });
    await expect(ask({ groupings: ['tag'], toMs: juneMs })).rejects.toMatchObject({ param: 'from' });
    await fixture.source.query('DELETE FROM sealed_month');
  });

  it('tells all of them once hours and days are summed by both', async () => {
    const clock = { nowMs: () => endMs + hourMs };
    await new UsageSummer({ unitOfWork: fixture.unitOfWork, clock, logger: silentLogger, restPerSet: 0 }).sumUp();
    for (const bucket of ['hour', 'day'] as const) {
      const report = await ask({ bucket, isCompared: true });
      expect(report.coveredFromMs).toBeNull();
      expect(report.total.sums).toMatchObject(await sumPlainly(firstDay));
      expect(report.groups).toHaveLength(15);
    }
  });
});
