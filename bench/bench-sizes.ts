import { cpus, loadavg } from 'node:os';
import type { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { UnitOfWork } from '../server/database/unit-of-work.js';
import { silentLogger } from '../server/kernel/logger.js';
import { JournalSummer } from '../server/ledger/journal/journal-summer.js';
import { insertBulkCalls } from '../server/test/bulk-calls.js';
import { seedCustomers } from '../server/test/bulk-customers.js';
import { sumTotalsInBulk } from '../server/test/bulk-totals.js';
import { LedgerFixture } from '../server/test/ledger-fixture.js';
import { fromMs, listExplorations, listOperatorReads, toMs } from '../server/test/sized-reads.js';
import { TotalsSummer } from '../server/totals/totals-summer.js';
import { UsageSummer } from '../server/usage/sums/usage-summer.js';
import { findServerPid } from './database-server.js';
import { type Spread, showNumber, showSpread, showTable, spreadOf } from './figures.js';
import { measureOnEachDatabase } from './on-each-database.js';
import { readCpu } from './process-figures.js';

/** SIZES_CALLS=100000 and SIZES_ACCOUNTS=10000 are quicker. */
const callCount = Number(process.env.SIZES_CALLS ?? 1_000_000);
/** Of the other accounts together; SIZES_CUSTOMER_CALLS=10000000 with SIZES_CALLS=20000 asks the operators' questions of ten million. */
const customerCallCount = Number(process.env.SIZES_CUSTOMER_CALLS ?? callCount);
/** SIZES_SUMMED=true: not before the job has summed the hours, too. */
const isOnlySummed = process.env.SIZES_SUMMED === 'true';
const accountCount = Number(process.env.SIZES_ACCOUNTS ?? 100_000);
const rounds = 9;
/** More are summed by one statement for each table, which writes what the job writes. */
const summedByJobMax = 1_000_000;
const loadingBufferBytes = 2 * 1024 ** 3;

/**
 * Every question that Explore, the list of requests and the operators' pages ask: for one account with a million calls in 30 days, and
 * over a hundred thousand accounts that made as many together.
 */
export async function benchSizes(): Promise<object> {
  return {
    cores: cpus().length,
    load: loadavg(),
    callCount,
    customerCallCount,
    accountCount,
    rounds,
    ...(await measureOnEachDatabase(measure)),
  };
}

async function measure(title: string, address: DatabaseAddress): Promise<object> {
  const fixture = await LedgerFixture.open({ kind: address.kind, address, drop: async () => {} });
  const seeded = await seedSizes(fixture);
  const before = isOnlySummed ? null : await measureSizes(`${title}, before anything was summed`, fixture, seeded);
  const unitOfWork = new UnitOfWork(fixture.source);
  const summing = performance.now();
  await new UsageSummer({ unitOfWork, clock: { nowMs: () => toMs + 3_600_000 }, logger: silentLogger }).sumUp();
  console.log(`${title}: summed in ${Math.round((performance.now() - summing) / 1_000)} s.`);
  const totalling = performance.now();
  if (customerCallCount > summedByJobMax) await sumTotalsInBulk(fixture.source, toMs - 2 * 3_600_000);
  else {
    // As in the last moment of an hour: two are not summed.
    const parts = { unitOfWork, clock: { nowMs: () => toMs - 1 }, logger: silentLogger, restPerStep: 0 };
    await new TotalsSummer({ ...parts, findPriceVersionAt: async () => 0 }).sumUp();
  }
  console.log(`${title}: all accounts summed in ${Math.round((performance.now() - totalling) / 1_000)} s.`);
  const adding = performance.now();
  await new JournalSummer(unitOfWork, { nowMs: () => toMs - 1 }).sumUp();
  console.log(`${title}: the journal summed in ${Math.round((performance.now() - adding) / 1_000)} s.`);
  const figures = { before, after: await measureSizes(title, fixture, seeded) };
  await fixture.ledger.close();
  await fixture.source.destroy();
  return figures;
}

export type Seeded = Awaited<ReturnType<typeof seedSizes>>;

async function seedSizes(fixture: LedgerFixture) {
  const { source } = fixture;
  const seeding = performance.now();
  const usualBytes = await resizeBuffers(source, loadingBufferBytes);
  const known = await seedCustomers(source, { accounts: accountCount, calls: customerCallCount, fromMs, toMs });
  const owner = await fixture.createFundedAccount(0);
  const time = { fromMs, toMs, hasJournal: false };
  await insertBulkCalls(source, { ...owner, count: callCount, ...time, marks: { tags: 8, endUsers: 200 } });
  if (source.options.type === 'better-sqlite3') await source.query('PRAGMA optimize');
  await resizeBuffers(source, usualBytes);
  console.log(`Written in ${Math.round((performance.now() - seeding) / 1_000)} s.`);
  return { owner, known };
}

/** Ten million rows are not written through the 128 MB that are measured with. @returns what there were before. */
async function resizeBuffers(source: DataSource, bytes: number): Promise<number> {
  if (source.options.type === 'better-sqlite3') return 0;
  const [row] = await source.query('SELECT @@innodb_buffer_pool_size AS bytes');
  await source.query(`SET GLOBAL innodb_buffer_pool_size = ${bytes}`);
  return Number(row.bytes);
}

async function measureSizes(title: string, { source, database }: LedgerFixture, seeded: Seeded): Promise<object> {
  const pid = await findServerPid(database.address);
  const unitOfWork = new UnitOfWork(source);
  const reads = { ...listExplorations(unitOfWork, seeded.owner), ...listOperatorReads(unitOfWork, seeded.known) };
  const figures: { read: string; took: Spread; processorMs: number }[] = [];
  for (const [read, ask] of Object.entries(reads)) figures.push({ read, ...(await timeRounds(ask, pid)) });
  const rows = figures.map(({ read, took, processorMs }) => [read, showSpread(took), showNumber(processorMs)]);
  console.log(`${showTable([title, 'ms', 'ms of processor, with the database’s'], rows)}\n`);
  return { figures };
}

/** What is refused is timed, too, and said. The processor's time, of one round, is what other work on the machine changes least. */
async function timeRounds(ask: () => Promise<unknown>, pid: number | null) {
  let refused: unknown = null;
  const tryAsking = () =>
    ask().catch((error) => {
      refused = error;
    });
  await tryAsking();
  const tookMs: number[] = [];
  const [before, beforeMs] = [process.cpuUsage(), readProcessorMs(pid)];
  for (let round = 0; round < rounds && (tookMs.at(-1) ?? 0) < 2_000; round += 1) {
    const startMs = performance.now();
    await tryAsking();
    tookMs.push(performance.now() - startMs);
  }
  const { user, system } = process.cpuUsage(before);
  const processorMs = ((user + system) / 1_000 + readProcessorMs(pid) - beforeMs) / tookMs.length;
  if (refused !== null) console.log(`Refused: ${(refused as Error).message}`);
  return { took: spreadOf(tookMs), processorMs };
}

/** Of the database's process, in steps of 10 ms. */
function readProcessorMs(pid: number | null): number {
  return pid === null ? 0 : readCpu(pid).allMicros / 1_000;
}
