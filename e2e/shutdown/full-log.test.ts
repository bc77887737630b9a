import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';
import { databaseUrlOf, openSqliteDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { giveSchema } from '../../server/test/schema-template.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { findFreePort } from '../support/free-port.js';

const main = join(findRepositoryRoot(import.meta.dirname), 'dist/server/main.js');
/** Linux refuses each line that is written there as a disk without room does. */
const fullDisk = '/dev/full';

const itOnFullDisk = existsSync(fullDisk) ? it : it.skip;
const itOnUnix = process.platform === 'win32' ? it.skip : it;

/** A server that logs there is asked, told to stop, and ends well. */
async function serveAndEnd(log: number): Promise<void> {
  const database = await openSqliteDatabase();
  await giveSchema(database);
  const spoolFolder = makeTestFolder('full-log');
  const port = await findFreePort();
  const settings = { PORT: String(port), SPOOL_DIR: spoolFolder, DATABASE_URL: databaseUrlOf(database.address) };
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const server = spawn(process.execPath, [main], {
    cwd: spoolFolder,
    env: { ...env, ...settings },
    stdio: ['ignore', log, log],
  });
  const ended = once(server, 'exit');
  try {
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    await eventually(async () => (await ask('/readyz'))?.status === 200);
    for (let n = 0; n < 20; n += 1) expect((await ask('/v1/models'))?.status).toBe(200);
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
  rmSync(spoolFolder, { recursive: true });
  await database.drop();
}

describe('a server whose log is on a full disk', () => {
  itOnFullDisk(
    'serves, and ends well when it is told to',
    async () => {
      const log = openSync(fullDisk, 'w');
      await serveAndEnd(log);
      closeSync(log);
    },
    120_000,
  );
});

describe('a server whose log goes to a pipe that is full and that nobody reads', () => {
  itOnUnix(
    'serves and ends well when it is told to all the same',
    async () => {
      const folder = makeTestFolder('full-pipe');
      const path = join(folder, 'pipe');
      execFileSync('mkfifo', [path]);
      const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      expect(() => {
        for (;;) writeSync(pipe, Buffer.alloc(4_096));
      }).toThrow(/EAGAIN/);
      await serveAndEnd(pipe);
      closeSync(pipe);
    },
    120_000,
  );
});
