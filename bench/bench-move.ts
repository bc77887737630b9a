import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { Sqlite } from '../server/database/sqlite-driver.js';
import { insertBulkCalls } from '../server/test/bulk-calls.js';
import { databaseUrlOf } from '../server/test/each-database.js';
import { LedgerFixture } from '../server/test/ledger-fixture.js';
import { createDatabase } from './database-server.js';

/** MOVE_CALLS=100000 is quicker. */
const callCount = Number(process.env.MOVE_CALLS ?? 1_000_000);
const dayMs = 24 * 60 * 60 * 1_000;
const toMs = Date.UTC(2026, 5, 1);
/** The process is killed in the middle of these tables. */
const killedIn = ['call_record', 'ledger_transfer'] as const;

type SqliteAddress = Extract<DatabaseAddress, { kind: 'sqlite' }>;

/**
 * `tollgate database move` of a SQLite file with a million calls to an empty MySQL, killed twice on the way: how long it takes, and
 * that every column of numbers has the same sum on both sides afterwards.
 */
export async function benchMove(): Promise<object> {
  const serverUrl = process.env.BENCH_MYSQL_URL;
  if (serverUrl === undefined) throw new Error('This machine has neither MySQL nor MariaDB; name one by MYSQLD.');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const from = { kind: 'sqlite', file: join(folder, 'tollgate.db') } as const;
    const seedSeconds = await timed(() => seed(from));
    console.log(`Seeded ${callCount} calls in ${seedSeconds} s: ${toMegabytes(statSync(from.file).size)} MB.`);
    const target = await createDatabase(serverUrl);
    const runs: Run[] = [];
    for (const table of killedIn) runs.push(await move(from, target, table));
    runs.push(await move(from, target, null));
    const sums = await compareSums(from, target);
    const verifySeconds = await timed(() => verify(target));
    const { server, bytes } = await describeTarget(target);
    const sizes = { sqliteMegabytes: toMegabytes(statSync(from.file).size), mysqlMegabytes: toMegabytes(bytes) };
    console.log(`${sums} sums are equal on ${server}; ledger:verify found the books sound in ${verifySeconds} s.`);
    const seconds = Math.round(runs.reduce((sum, run) => sum + run.seconds, 0));
    console.log(
      `Moved in ${seconds} s, two kills included; ${sizes.sqliteMegabytes} MB became ${sizes.mysqlMegabytes} MB.`,
    );
    return { cores: cpus().length, server, callCount, seedSeconds, runs, seconds, sums, verifySeconds, ...sizes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seed(address: SqliteAddress): Promise<void> {
  const fixture = await LedgerFixture.open({ kind: 'sqlite', address, drop: async () => {} });
  const owner = await fixture.createFundedAccount(callCount * 1_000);
  const time = { fromMs: toMs - 365 * dayMs, toMs };
  await insertBulkCalls(fixture.source, { ...owner, count: callCount, ...time, hasJournal: true });
  await fixture.ledger.close();
  await fixture.source.destroy();
}

interface Run {
  readonly killedIn: string | null;
  readonly seconds: number;
  /** Of the process that moves. */
  readonly peakMegabytes: number;
}

/** @param killIn The process is killed when half of this table is copied; null: it runs to its end. */
async function move(from: SqliteAddress, to: DatabaseAddress, killIn: string | null): Promise<Run> {
  const startedMs = performance.now();
  const program = join(import.meta.dirname, '../server/cli/tollgate.js');
  const child = spawn(process.execPath, [program, 'database', 'move', '--to', databaseUrlOf(to)], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrlOf(from) },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let peakMegabytes = 0;
  for await (const line of createInterface({ input: child.stderr })) {
    console.log(`  ${line}`);
    peakMegabytes = Math.max(peakMegabytes, readPeakMegabytes(child.pid));
    const [, table, copied, all] = /^(\w+): (\d+) of (\d+) rows copied/.exec(line) ?? [];
    if (killIn !== null && table === killIn && Number(copied) > Number(all) / 2) child.kill('SIGKILL');
  }
  const [exitCode] = await exited;
  if (killIn === null && exitCode !== 0) throw new Error(`The move ended with ${exitCode}.`);
  if (killIn !== null && exitCode !== null) throw new Error(`The move was not killed in ${killIn}: move more calls.`);
  if (killIn !== null) console.log(`  Killed in ${killIn}.`);
  return { killedIn: killIn, seconds: (performance.now() - startedMs) / 1_000, peakMegabytes };
}

/** @returns how many columns were compared: the sum of numbers, how many there are of anything else. @throws for the first that differs. */
async function compareSums({ file }: SqliteAddress, to: DatabaseAddress): Promise<number> {
  const source = new Sqlite(file, { readonly: true });
  const target = await createConnection(databaseUrlOf(to));
  let compared = 0;
  const tables = source
    .prepare(
      "SELECT m.name AS name, json_group_array(json_object('name', c.name, 'type', c.type)) AS columns FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT IN ('migrations', 'migration_step', 'sqlite_sequence') GROUP BY m.name",
    )
    .all() as { name: string; columns: string }[];
  for (const { name, columns } of tables) {
    const sums = (JSON.parse(columns) as { name: string; type: string }[]).map(({ name: column, type }) => {
      const what = /int/i.test(type) ? `COALESCE(SUM(${column}), 0)` : `COUNT(${column})`;
      return `CAST(${what} AS CHAR) AS ${column}`;
    });
    // Of each table at once: a look at every row takes a while.
    const sql = `SELECT ${sums.join(', ')} FROM ${name}`;
    const before = source.prepare(sql).get() as Record<string, string>;
    const [[after]] = await target.query<RowDataPacket[]>(sql);
    for (const [column, sum] of Object.entries(before)) {
      if (String(after?.[column]) !== sum) throw new Error(`${name}.${column}: ${sum} became ${after?.[column]}.`);
      compared += 1;
    }
  }
  source.close();
  await target.end();
  return compared;
}

async function verify(database: DatabaseAddress): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../server/cli/verify.js')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrlOf(database),
      SPOOL_DIR: mkdtempSync(join(tmpdir(), 'spool-')),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (exitCode !== 0) throw new Error(`ledger:verify ended with ${exitCode}.`);
}

async function describeTarget(database: DatabaseAddress): Promise<{ server: string; bytes: number }> {
  const connection = await createConnection(databaseUrlOf(database));
  await connection.query('ANALYZE TABLE call_record, ledger_hold, ledger_transfer, usage_hour');
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT VERSION() AS server, SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  await connection.end();
  return { server: String(rows[0]?.server), bytes: Number(rows[0]?.bytes) };
}

// Linux only; elsewhere it stays 0.
function readPeakMegabytes(pid: number | undefined): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(peak ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round((performance.now() - startedMs) / 1_000);
}
