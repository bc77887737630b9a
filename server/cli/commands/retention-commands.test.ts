import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { runCommand } from '../../test/run-command.js';
import { type ProgramOptions, UsageError } from '../operator-program.js';
import { listRetentionCommands } from './retention-commands.js';

describeOnEachDatabase('npm run tollgate -- retention', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  const run = async (name: string, subject = '', options: ProgramOptions = {}) =>
    (await runCommand(listRetentionCommands, app.database, { name, subject, options })).output;
  const reason = 'A rule of the house';

  it('says for how long what is stored, and chooses it for receipts', async () => {
    expect(await run('retention show')).toMatch(/^Receipts of calls: for ever, as RETENTION_DAYS says$/m);
    expect(await run('retention set', '400', { reason })).toMatch(
      /^Receipts are kept for 400 days after their month from 20\d\d-\S+Z on\.$/,
    );
    expect(await run('retention show')).toMatch(
      /^From 20\d\d-\S+Z on: for 400 days after their month, chosen by \S+@\S+ on \S+Z: A rule of the house$/m,
    );
    expect(JSON.parse(await run('retention show', '', { json: 'true' }))).toMatchObject({
      ...{ days: null, choice: null, next: { days: 400 }, isExported: false },
    });
    expect(await run('retention set', 'forever', { reason })).toBe('Receipts are kept for ever from now on.');
    expect(await run('retention show')).toMatch(/^Receipts of calls: for ever, chosen by /m);
    await expect(run('retention set', '61', { reason })).rejects.toThrow('for 62 to 36500 days, or for ever');
    expect((await app.query('SELECT subject FROM operator_event ORDER BY id')).map(({ subject }) => subject)).toEqual([
      '400 days',
      'for ever',
    ]);
  }, 60_000);

  it('refuses what was typed wrong before a database is asked for', async () => {
    const wrong = [
      ['400', {}],
      ['a year', { reason }],
      ['-1', { reason }],
    ] as const;
    for (const [subject, options] of wrong) {
      const commands = listRetentionCommands(() => Promise.reject(new Error('a database was asked for')));
      await expect((async () => commands['retention set']?.run(subject, options))()).rejects.toThrow(UsageError);
    }
  });
});
