import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../test/run-program.js';
import { findBaseUrl, type RunningProgram, runProgramFile } from '../test/running-program.js';
import { makeTestFolder } from '../test/test-folder.js';
import { lockSqliteFile } from './claim-sqlite-file.js';

describe('A SQLite file', () => {
  const folder = makeTestFolder('claim');
  const file = join(folder, 'tollgate.db');
  const running: RunningProgram[] = [];
  const start = (name: string, spool: string) => {
    const settings = { HOST: '127.0.0.1', PORT: '0', DATABASE_URL: `sqlite:${name}`, SPOOL_DIR: join(folder, spool) };
    const server = runProgramFile(join(import.meta.dirname, '../main.js'), [], settings, folder);
    running.push(server);
    return server;
  };
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  });

  it('has one server: a second process is refused in one line, also by another name, and the first one goes on', async () => {
    const first = start(file, 'first');
    const baseUrl = await findBaseUrl(first);
    const other = join(folder, 'other.db');
    symlinkSync(file, other);
    for (const name of [file, other]) {
      const second = start(name, 'second');
      expect(await second.ended).toBe(1);
      expect(second.log()).toBe(
        `DATABASE_URL: another server works on ${name}, or still lets its last calls end. A SQLite file has one server: stop that one, or name another file; several servers can share MySQL.\n`,
      );
    }
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    // What an operator does by hand goes on beside it.
    const words = ['gift-code', 'create', '--credits', '5'];
    expect((await runProgram('tollgate.js', { kind: 'sqlite', file }, { words })).exitCode).toBe(0);
  }, 60_000);

  it('has one server also where both come by a link whose target is not there yet', async () => {
    const made = join(folder, 'made.db');
    const link = join(folder, 'link.db');
    symlinkSync('made.db', link);
    const lock = lockSqliteFile(link);
    expect(() => lockSqliteFile(made)).toThrow(`another server works on ${made}`);
    lock.release(false);
    lockSqliteFile(made).release(false);
    symlinkSync('circle.db', join(folder, 'circle.db'));
    expect(() => lockSqliteFile(join(folder, 'circle.db'))).toThrow('ELOOP');
  });

  it('is free again at once when its server was killed', async () => {
    const first = running[0];
    first?.child.kill('SIGKILL');
    await first?.ended;
    await findBaseUrl(start(file, 'third'));
  }, 60_000);
});
