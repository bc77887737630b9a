import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { runCommand } from '../../test/run-command.js';
import { type ProgramOptions, UsageError } from '../operator-program.js';
import { listAnnouncementCommands } from './announcement-commands.js';

describeOnEachDatabase('npm run tollgate -- announcement and maintenance', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  /** What a command prints. */
  const run = async (name: string, subject = '', options: ProgramOptions = {}) =>
    (await runCommand(listAnnouncementCommands, app.database, { name, subject, options })).output;
  const reason = 'A larger disk';
  const listActions = async () =>
    (await app.query('SELECT action FROM operator_event ORDER BY id')).map(({ action }) => action);

  it('stop calls on a running server and take them again, with who and why in the log', async () => {
    const { secret } = await app.createAccount(5);
    const ask = async () => {
      const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };
      return (await app.call(secret, body)).status;
    };
    expect(await ask()).toBe(200);
    const words = await run('maintenance begin', 'Back at ten.', { reason, until: '2099-12-31T22:00:00Z' }).catch(
      String,
    );
    expect(words).toContain('It ends after it has begun, and within a year');
    expect(await run('maintenance begin', 'Back at ten.', { reason })).toMatch(
      /^ann_\w+ {2}maintenance {2}since \S+Z until it is ended: Back at ten\.$/,
    );
    await eventually(async () => (await ask()) === 503, 20);
    const [listed] = JSON.parse(await run('announcement list', '', { json: 'true' }));
    expect(listed).toMatchObject({ isMaintenance: true, text: 'Back at ten.', endsAtMs: null });
    expect(await run('maintenance end', '', { reason })).toBe('Calls are taken again.');
    await eventually(async () => (await ask()) === 200, 20);
    await expect(run('maintenance end', '', { reason })).rejects.toThrow(UsageError);
    expect(await listActions()).toEqual(['begin_maintenance', 'end_maintenance']);
  }, 60_000);

  it('tell everybody something, and no more', async () => {
    const id = (await run('announcement add', 'New models are here.', { reason })).split(' ')[0] ?? '';
    expect(await run('announcement list')).toContain(`${id}  news  since `);
    await run('announcement end', id, { reason });
    expect(await run('announcement list')).toBe('');
    await expect(run('announcement end', id, { reason })).rejects.toThrow('no such announcement');
  }, 60_000);

  it('refuse what was typed wrong before a database is asked for', async () => {
    const wrong = [
      ['announcement add', {}],
      ['announcement add', { reason, from: 'tomorrow' }],
      ['maintenance begin', { reason, until: '2026-12-31T22:00' }],
      ['maintenance end', {}],
    ] as const;
    for (const [name, options] of wrong) {
      const commands = listAnnouncementCommands(() => Promise.reject(new Error('a database was asked for')));
      await expect((async () => commands[name]?.run('a text', options))()).rejects.toThrow(UsageError);
    }
  });
});
