import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { UnitOfWork } from '../server/database/unit-of-work.js';
import { systemClock } from '../server/kernel/clock.js';
import { createId } from '../server/kernel/ids.js';
import { silentLogger } from '../server/kernel/logger.js';
import { toMillicredits } from '../server/kernel/millicredits.js';
import { listBroken, verifyLedger } from '../server/ledger/checks/verify-ledger.js';
import { CallRetention } from '../server/ledger/receipts/call-retention.js';
import { insertBulkCalls } from '../server/test/bulk-calls.js';
import { databaseUrlOf } from '../server/test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../server/test/ledger-fixture.js';
import { percentileOf, showNumber, showTable } from './figures.js';
import { measureOnEachDatabase } from './on-each-database.js';

/** RETENTION_CALLS=100000 is quicker. */
const callCount = Number(process.env.RETENTION_CALLS ?? 1_000_000);
const dayMs = 86_400_000;
const callers = 8;
const pauseMs = 20;
const aloneMs = 60_000;
/** The first process that seals is killed when so many receipts are gone. */
const killedAfter = callCount / 10;

/**
 * A million receipts of a year removed while others call in the same process: how long holds and settlements wait, with it and
 * without, and what becomes of the disk. A process that seals is killed on the way, and the books are proven in the end.
 */
export async function benchRetention(): Promise<object> {
  return { cores: cpus().length, callCount, ...(await measureOnEachDatabase(measure)) };
}

async function measure(title: string, address: DatabaseAddress): Promise<object> {
  const fixture = await LedgerFixture.open({ kind: address.kind, address, drop: async () => {} });
  const { source } = fixture;
  const empty = await readSizes(source, address);
  const owner = await fixture.createFundedAccount(callCount * 1_000);
  const nowMs = systemClock.nowMs();
  const time = { fromMs: nowMs - 465 * dayMs, toMs: nowMs - 100 * dayMs };
  await insertBulkCalls(source, { ...owner, count: callCount, ...time, hasJournal: true });
  const before = await readSizes(source, address);
  console.log(`${title}: ${callCount} calls seeded.`);
  const callsAlone = new Callers(fixture, await fixture.createFundedAccount(1_000_000_000));
  await sleep(aloneMs);
  const waitsAlone = await callsAlone.stop();
  await sealUntilKilled(source, address);
  const calls = new Callers(fixture, await fixture.createFundedAccount(1_000_000_000));
  const startedMs = performance.now();
  const sealed = await openRetention(source).sealDue();
  const seconds = (performance.now() - startedMs) / 1_000;
  const waits = await calls.stop();
  const after = await readSizes(source, address);
  await fixture.ledger.close();
  await source.destroy();
  const rows = [describeWaits('calls alone', waitsAlone), describeWaits('calls while receipts are removed', waits)];
  console.log(showTable(['', 'waits', 'p50 ms', 'p99 ms', 'p99.9 ms', 'longest ms', 'above 50 ms'], rows));
  console.log(`${sealed} receipts in ${showNumber(seconds)} s after a kill.`, { empty, before, after });
  const broken = listBroken(await verifyLedger(address));
  if (broken.length > 0) throw new Error(`The books are wrong: ${JSON.stringify(broken)}`);
  console.log('The books are sound.');
  return { title, sealed, seconds, waitsAlone: rows[0], waits: rows[1], empty, before, after };
}

function openRetention(source: DataSource): CallRetention {
  const findNeeded = () => Promise.resolve(new Set<string>());
  const unitOfWork = new UnitOfWork(source);
  const findTime = async () => ({ nowMs: systemClock.nowMs(), provenMs: systemClock.nowMs() });
  return new CallRetention({
    findTime,
    ...{ unitOfWork, clock: systemClock, logger: silentLogger, findDays: async () => 62, keep: null, findNeeded },
    isOneWriter: source.options.type !== 'mysql',
  });
}

async function sealUntilKilled(source: DataSource, address: DatabaseAddress): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'seal-process.js')], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrlOf(address) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const countSealed = () => source.query('SELECT COALESCE(SUM(calls), 0) AS calls FROM sealed_month');
  while (child.exitCode === null && Number((await countSealed())[0].calls) < killedAfter) await sleep(50);
  child.kill('SIGKILL');
  const [exitCode] = await ended;
  if (exitCode !== null) throw new Error(`The process that seals ended by itself, with ${exitCode}.`);
}

/** Calls of one account, so many at a time, each a hold and a settlement that are durable before it goes on. */
class Callers {
  readonly #waitsMs: number[] = [];
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(
    private readonly fixture: LedgerFixture,
    private readonly account: { accountId: string; keyId: string },
  ) {
    this.#running = Promise.all(Array.from({ length: callers }, () => this.#callOn()));
  }

  /** @returns how long each hold and each settlement waited, in milliseconds, shortest first. */
  async stop(): Promise<readonly number[]> {
    this.#isStopped = true;
    await this.#running;
    return this.#waitsMs.toSorted((one, other) => one - other);
  }

  async #callOn(): Promise<void> {
    const { ledger } = this.fixture;
    const { accountId } = this.account;
    const amount = toMillicredits(100);
    while (!this.#isStopped) {
      const callId = createId('call');
      const facts = { ...factsAt(1), startedAtMs: systemClock.nowMs() };
      const amounts = { amountMillicredits: amount, acceptFromMillicredits: amount };
      await this.#time(async () => ledger.placeHold({ callId, ...this.account, facts, ...amounts }));
      await this.#time(() => ledger.settleHold({ callId, accountId, ending: endingWith(10, 20) }));
      await sleep(pauseMs);
    }
  }

  async #time(work: () => Promise<unknown>): Promise<void> {
    const startedMs = performance.now();
    await work();
    this.#waitsMs.push(performance.now() - startedMs);
  }
}

function describeWaits(title: string, waitsMs: readonly number[]): readonly string[] {
  const shares = [0.5, 0.99, 0.999, 1].map((share) => showNumber(percentileOf(waitsMs, share)));
  return [title, String(waitsMs.length), ...shares, String(waitsMs.filter((waitMs) => waitMs > 50).length)];
}

/** Megabytes: the file, or the server's tables; and what of it is free for new rows. */
async function readSizes(source: DataSource, address: DatabaseAddress) {
  if (address.kind === 'sqlite') {
    await source.query('PRAGMA wal_checkpoint(TRUNCATE)');
    const [{ page_size: page }] = await source.query('PRAGMA page_size');
    const [{ freelist_count: free }] = await source.query('PRAGMA freelist_count');
    return { all: toMegabytes(statSync(address.file).size), free: toMegabytes(free * page) };
  }
  await source.query('ANALYZE TABLE call_record, ledger_hold, ledger_transfer, usage_hour');
  const rows: { bytes: unknown; free: unknown }[] = await source.query(
    'SELECT data_length + index_length AS bytes, data_free AS free FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  const add = (pick: (row: (typeof rows)[number]) => unknown) =>
    toMegabytes(rows.reduce((sum, row) => sum + Number(pick(row) ?? 0), 0));
  return {
    all: add(({ bytes, free }) => Number(bytes) + Number(free)),
    free: add(({ free }) => free),
  };
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
