import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimSqliteFile } from '../database/claim-sqlite-file.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { silentLogger } from '../kernel/logger.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { runProgram } from '../test/run-program.js';
import { runWarmProgram } from '../test/warm-programs.js';

/** Names of files, oldest first, as `0069-begin-key-change-count`. */
const files = readdirSync(join(import.meta.dirname, '../database/migrations'))
  .filter((file) => /^\d{4}-.*\.js$/.test(file))
  .map((file) => file.replace('.js', ''))
  .toSorted();
const [newestFile = '', secondFile = '', thirdFile = ''] = files.toReversed();
const nameOf = (file: string) => file.replace(/^\d{4}-/, '');
const newest = nameOf(newestFile);
const revert = (address: DatabaseAddress, ...words: string[]) =>
  runWarmProgram('migrate.js', address, { words: ['revert', ...words] });

describeOnEachDatabase('npm run migration:revert', (openTestDatabase) => {
  it('takes nothing back beneath a running server, also when the migration is named', async () => {
    const database = await openTestDatabase();
    const app = await TestApp.startBeside(database);
    // As the program of the server does.
    if (database.address.kind === 'sqlite') claimSqliteFile(database.address.file, silentLogger);
    const before = await app.query('SELECT name FROM migrations ORDER BY id');
    for (const words of [[], [newest], [newestFile]]) {
      const { exitCode, log } = await revert(database.address, ...words);
      expect(exitCode).toBe(1);
      expect(log).toMatch(/another server uses|1 server of this database gave a sign of life/);
    }
    expect(await app.query('SELECT name FROM migrations ORDER BY id')).toEqual(before);
    await app.close();
  }, 120_000);

  it('takes back in a database with rows only what is named, and says what that was', async () => {
    const database = await openTestDatabase();
    const app = await TestApp.startBeside(database);
    await app.createAccount(0);
    await app.close();
    const unnamed = await revert(database.address);
    expect(unnamed.exitCode).toBe(1);
    expect(unnamed.log).toContain(`name it: npm run migration:revert -- ${newest}`);
    expect(unnamed.log).not.toMatch(/^\s+at /m);
    const other = await revert(database.address, secondFile);
    expect(other).toMatchObject({
      exitCode: 1,
      log: expect.stringContaining(`the newest migration of this database is ${newest}`),
    });
    const named = await revert(database.address, newestFile);
    expect(named).toMatchObject({ exitCode: 0, output: expect.stringContaining(`${newest} is taken back`), log: '' });
    const next = await revert(database.address, secondFile);
    expect(next).toMatchObject({ exitCode: 0, output: expect.stringContaining(`${nameOf(secondFile)} is taken back`) });
    expect((await revert(database.address)).log).toContain(`-- ${nameOf(thirdFile)}`);
    await database.drop();
  }, 120_000);

  it('takes back one after the other, unnamed, where nobody has used the database', async () => {
    const database = await openTestDatabase();
    await runProgram('migrate.js', database.address, { words: ['run'] });
    for (const name of [newestFile, secondFile, thirdFile].map(nameOf))
      expect(await revert(database.address)).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining(`${name} is`),
        log: '',
      });
    expect((await runProgram('migrate.js', database.address, { words: ['run'] })).exitCode).toBe(0);
    await database.drop();
  }, 120_000);
});
