import { createDataSource } from '../database/data-source.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { giveSchema } from '../test/schema-template.js';
import type { InstanceReport } from './instance-report.js';
import { InstanceReporter, listReportedInstances } from './instance-reports.js';

const hourMs = 3_600_000;
const report = (calls: number): InstanceReport => ({
  ...{ version: '9.9.9', startedAtMs: 1_000, callsRunning: calls, streamsOpen: 0, connections: 2 },
  lastMinute: {
    ...{ lengthMs: 60_000, calls, failedCalls: 1, refusals: 2, tokens: 300 },
    ...{ commits: 4, operations: 9 },
  },
  queuedOperations: 0,
  leases: { count: 1, leasedMillicredits: 5_000, reservedMillicredits: 40 },
  jobs: [{ name: 'hold_sweep', lastDoneAtMs: null }],
});

describeOnEachDatabase('Reports of server processes', (openTestDatabase) => {
  const open = async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const source = await createDataSource(database.address, { entities, migrations }).initialize();
    const close = () => source.destroy();
    const clock = new FakeClock(10 * hourMs);
    const unitOfWork = new UnitOfWork(source);
    const reporterOf = (id: string) => new InstanceReporter({ id, unitOfWork, clock, logger: silentLogger });
    const list = () => listReportedInstances(unitOfWork, clock.nowMs());
    const waitFor = async (count: number) => {
      await eventually(async () => (await list()).length === count);
    };
    return { source, close, clock, reporterOf, list, waitFor };
  };

  it('are seen by everybody on the database, whole, and go with a process that ends in order', async () => {
    const { close, reporterOf, list, waitFor } = await open();
    const [one, other] = [reporterOf('inst_1'), reporterOf('inst_2')];
    one.start(() => report(3));
    other.start(() => report(8));
    await waitFor(2);
    const reportedAtMs = 10 * hourMs;
    expect(await list()).toEqual([
      { id: 'inst_1', reportedAtMs, ...report(3) },
      { id: 'inst_2', reportedAtMs, ...report(8) },
    ]);
    await one.close();
    expect((await list()).map(({ id }) => id)).toEqual(['inst_2']);
    await other.close();
    expect(await list()).toEqual([]);
    await close();
  });

  it('of a process that ended without a word stay for an hour, and are removed by the next one that begins', async () => {
    const { source, close, clock, reporterOf, list, waitFor } = await open();
    const insert = 'INSERT INTO instance_report (id, reported_at_ms, report) VALUES (?, ?, ?)';
    await source.query(insert, ['inst_killed', clock.nowMs(), JSON.stringify(report(1))]);
    clock.advanceMs(hourMs - 1);
    expect((await list()).map(({ id }) => id)).toEqual(['inst_killed']);
    clock.advanceMs(2);
    expect(await list()).toEqual([]);
    const next = reporterOf('inst_next');
    next.start(() => report(1));
    await waitFor(1);
    expect(await source.query('SELECT id FROM instance_report')).toEqual([{ id: 'inst_next' }]);
    await next.close();
    await close();
  });

  it('of a process that ended without a word while the clock was days ahead are not listed once it is right, and are removed', async () => {
    const { source, close, clock, reporterOf, list, waitFor } = await open();
    const insert = 'INSERT INTO instance_report (id, reported_at_ms, report) VALUES (?, ?, ?)';
    await source.query(insert, ['inst_ahead', clock.nowMs() + 48 * hourMs, JSON.stringify(report(1))]);
    await source.query(insert, ['inst_beside', clock.nowMs() + 20_000, JSON.stringify(report(1))]);
    expect((await list()).map(({ id }) => id)).toEqual(['inst_beside']);
    const next = reporterOf('inst_next');
    next.start(() => report(1));
    await waitFor(2);
    expect(await source.query("SELECT id FROM instance_report WHERE id = 'inst_ahead'")).toEqual([]);
    await next.close();
    await close();
  });

  it('of another release in another shape are left out', async () => {
    const { source, close, clock, list } = await open();
    const insert = 'INSERT INTO instance_report (id, reported_at_ms, report) VALUES (?, ?, ?)';
    await source.query(insert, ['inst_other', clock.nowMs(), '{"version":"10.0.0"}']);
    expect(await list()).toEqual([]);
    await close();
  });
});
