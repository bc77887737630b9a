import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../test/eventually.js';
import { postGraphql } from '../test/post-graphql.js';
import { runProgram } from '../test/run-program.js';
import { findBaseUrl, type RunningProgram, runProgramFile } from '../test/running-program.js';
import { makeTestFolder } from '../test/test-folder.js';
import { lockSqliteFile } from './claim-sqlite-file.js';
import { tryLock } from './process-lock.js';

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
        `DATABASE_URL: another server uses ${name}, or is still finishing its last calls. A SQLite file has one server: stop that one, or name another file; several servers can share MySQL.\n`,
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
    expect(() => lockSqliteFile(made)).toThrow(`another server uses ${made}`);
    lock.release('keep');
    lockSqliteFile(made).release('keep');
    symlinkSync('circle.db', join(folder, 'circle.db'));
    expect(() => lockSqliteFile(join(folder, 'circle.db'))).toThrow('ELOOP');
  });

  it('is free again at once when its server was killed', async () => {
    const first = running[0];
    first?.child.kill('SIGKILL');
    await first?.ended;
    await findBaseUrl(start(file, 'third'));
  }, 60_000);

  it('still has one server when the file of its lock is removed or replaced: it is made anew, and said', async () => {
    const name = join(folder, 'unlocked.db');
    const first = start(name, 'unlocked');
    const baseUrl = await findBaseUrl(first);
    const lock = `${name}.server-lock`;
    const countTold = () => first.output().match(/database_lock_made_anew/g)?.length ?? 0;
    rmSync(lock);
    await eventually(() => countTold() === 1, 50);
    expect(existsSync(lock)).toBe(true);
    writeFileSync(`${lock}.other`, '');
    renameSync(`${lock}.other`, lock);
    await eventually(() => countTold() === 2, 50);
    expect(await start(name, 'unlocked-second').ended).toBe(1);
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    expect(countTold()).toBe(2);
  }, 60_000);

  it('is not served any more by who lost the lock to another server, also when that one has ended, and keeps its lock', async () => {
    const name = join(folder, 'lost.db');
    const first = start(name, 'lost');
    const baseUrl = await findBaseUrl(first);
    const lock = `${name}.server-lock`;
    const taken = tryLock(`${lock}.other`);
    renameSync(`${lock}.other`, lock);
    const statusOf = async () => (await fetch(`${baseUrl}/healthz`)).status;
    await eventually(async () => (await statusOf()) === 503, 50);
    taken?.release('keep');
    await findBaseUrl(start(name, 'lost-second'));
    const signUp = { email: 'a@example.org', password: 'correct horse battery' };
    const response = await postGraphql(baseUrl, {
      query: 'mutation($input: SignUpInput!) { signUp(input: $input) { __typename } }',
      variables: { input: signUp },
    });
    expect(await response.text()).toContain('service_unavailable');
    expect(await statusOf()).toBe(503);
    expect(first.output().match(/database_file_taken/g)).toHaveLength(1);
  }, 60_000);
});
