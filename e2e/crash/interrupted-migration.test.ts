import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataSource, type TollgateDataSource } from '../../server/database/data-source.js';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { describeSchema } from '../../server/test/describe-schema.js';
import {
  databaseUrlOf,
  describeOnEachDatabase,
  describeOnMysql,
  type TestDatabase,
} from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { startStack } from '../support/start-stack.js';
import { RestartableMariadb } from './restartable-mariadb.js';
import { createRandom, seed } from './seeded-random.js';

/** A first start takes a second, so not as many as the other suites do. */
const cycles = Math.min(20, Number(process.env.CRASH_CYCLES ?? 1));
const databaseCycles = Math.min(10, Number(process.env.CRASH_DATABASE_CYCLES ?? 1));
const killsPerCycle = 3;
const secondsPerCycle = 60;
/** A start that makes no table within this time has none left to make. */
const startMs = 3_000;
/** About as long as all migrations take on a quick disk. */
const migrationMs = 400;

const random = createRandom(seed);
const mainScript = join(import.meta.dirname, '../../server/main.js');

const spawned = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of spawned) child.kill('SIGKILL');
});

/** A server that is on its way up; whether it ever listens is not waited for. */
function spawnServer(address: DatabaseAddress, spoolFolder: string): ChildProcess {
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '1', DATABASE_URL: databaseUrlOf(address) };
  const child = spawn(process.execPath, [mainScript], { env: { ...env, SPOOL_DIR: spoolFolder }, stdio: 'ignore' });
  spawned.add(child);
  return child;
}

/** Starts a server and runs `crash` at a random moment after its first step, or what is left of its steps. */
async function crashMigrating(database: TestDatabase['address'], crash: (child: ChildProcess) => Promise<unknown>) {
  const spoolFolder = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  const tablesBefore = await countTables(database);
  const child = spawnServer(database, spoolFolder);
  const ended = once(child, 'exit');
  const waitEndsMs = performance.now() + startMs;
  await eventually(async () => performance.now() >= waitEndsMs || (await countTables(database)) !== tablesBefore);
  await sleep(random(migrationMs));
  await crash(child);
  child.kill('SIGKILL');
  await ended;
  spawned.delete(child);
  rmSync(spoolFolder, { recursive: true, force: true });
}

async function withSource<Result>(address: DatabaseAddress, work: (source: TollgateDataSource) => Promise<Result>) {
  const source = await createDataSource(address, { entities: [], migrations: [] }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

function countTables(address: DatabaseAddress): Promise<number> {
  const sql =
    address.kind === 'sqlite'
      ? "SELECT COUNT(*) AS count FROM sqlite_master WHERE type = 'table'"
      : 'SELECT COUNT(*) AS count FROM information_schema.tables WHERE table_schema = DATABASE()';
  return withSource(address, async (source) => Number((await source.query(sql))[0].count));
}

async function startAndDescribe(address: DatabaseAddress): Promise<Readonly<Record<string, string>>> {
  const stack = await startStack(address);
  expect((await fetch(`${stack.baseUrl}/healthz`)).status).toBe(200);
  await stack.stop();
  return withSource(address, describeSchema);
}

describeOnEachDatabase(`a server that is killed while it migrates, CRASH_SEED=${seed}`, (openTestDatabase) => {
  it(
    `starts again with the same schema as undisturbed, ${cycles} times killed ${killsPerCycle} times`,
    async () => {
      const expected = await startAndDescribe((await openTestDatabase()).address);
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const database = await openTestDatabase();
        for (let kill = 0; kill < killsPerCycle; kill += 1) {
          await crashMigrating(database.address, async (child) => child.kill('SIGKILL'));
        }
        expect(await startAndDescribe(database.address)).toEqual(expected);
        await database.drop();
      }
    },
    (cycles + 1) * secondsPerCycle * 1_000,
  );
});

// A SQLite file is one server's; that several wait for each other there, too, is seen in server/database/schema-changes/migrate.test.ts.
describeOnMysql('the schema of an empty database', (openTestDatabase) => {
  it('is made by one of four servers that start together, and all of them start', async () => {
    const { address } = await openTestDatabase();
    const stacks = await Promise.all(Array.from({ length: 4 }, () => startStack(address)));
    expect(stacks.map(({ log }) => log.some(({ event }) => event === 'server_listening'))).toEqual(
      stacks.map(() => true),
    );
    for (const stack of stacks) await stack.kill();
  }, 60_000);
});

describeOnMysql(`a database that is killed while a server migrates it, CRASH_SEED=${seed}`, () => {
  it(
    `is migrated to the same schema as undisturbed, ${databaseCycles} times`,
    async () => {
      const server = await RestartableMariadb.start();
      const expected = await startAndDescribe(await server.createDatabase('undisturbed'));
      for (let cycle = 0; cycle < databaseCycles; cycle += 1) {
        const address = await server.createDatabase(`killed_${cycle}`);
        await crashMigrating(address, () => server.kill());
        await server.startAgain();
        expect(await startAndDescribe(address)).toEqual(expected);
      }
      await server.close();
    },
    (databaseCycles + 1) * secondsPerCycle * 1_000,
  );
});
