import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { runCommand } from '../../test/run-command.js';
import { type ProgramOptions, UsageError } from '../operator-program.js';
import { listSignUpCommands } from './sign-up-commands.js';

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { account { id } } }';

describeOnEachDatabase('npm run tollgate -- sign-up, invite and block', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  /** What a command prints. */
  const run = async (name: string, subject = '', options: ProgramOptions = {}) =>
    (await runCommand(listSignUpCommands, app.database, { name, subject, options })).output;
  const runJson = async (name: string) => JSON.parse(await run(name, '', { json: 'true' }));
  const listActions = async () =>
    (await app.query('SELECT action FROM operator_event ORDER BY id')).map(({ action }) => action);
  const trySignUp = (email: string, invitation: string | null = null) =>
    app
      .graphql(signUp, { input: { email, password: 'a long enough password', invitation } })
      .then(() => 'signed up')
      .catch((error: Error) => error.message);

  it('leave sign-up to invited people on a running server, each by a link that is good once and can be taken back', async () => {
    const words = await run('sign-up set', 'invited', { reason: 'Not ready' });
    expect(words).toBe('Only invited people can make an account.');
    expect(await runJson('sign-up show')).toMatchObject({ mode: 'invited', reason: 'Not ready' });
    expect(await trySignUp('ada@example.com')).toContain('Open the link in your invitation');
    const link = await run('invite create', 'ada@example.com', { reason: 'A customer' });
    expect(link).toMatch(/\/sign-up#tgs_[\w-]{43}$/);
    const [{ id, email }] = await runJson('invite list');
    expect(email).toBe('ada@example.com');
    expect(await trySignUp('ada@example.com', link.split('#')[1])).toBe('signed up');
    expect(await runJson('invite list')).toEqual([]);
    await expect(run('invite withdraw', id, { reason: 'Too late' })).rejects.toThrow(UsageError);
    await run('sign-up set', 'open', { reason: 'Ready' });
    expect(await trySignUp('bob@example.com')).toBe('signed up');
    expect(await listActions()).toEqual(['set_sign_up', 'invite_to_sign_up', 'set_sign_up']);
  }, 60_000);

  it('block networks and domains, list and free them, and refuse what is none', async () => {
    const words = await run('block add', '@Throwaway.Example', { reason: 'Gift farming' });
    expect(words).toContain('throwaway.example is blocked');
    expect(await runJson('block list')).toMatchObject([{ value: 'throwaway.example', reason: 'Gift farming' }]);
    expect(await trySignUp('eve@throwaway.example')).toContain('Use another address');
    await run('block remove', 'throwaway.example', { reason: 'A mistake' });
    expect(await trySignUp('eve@throwaway.example')).toBe('signed up');
    const before = await listActions();
    for (const [name, subject, options, line] of [
      ['block add', 'com', { reason: 'Fine' }, /Name a mail domain/],
      ['block add', 'example.net', {}, /Name --reason/],
      ['sign-up set', 'shut', { reason: 'Fine' }, /Sign-up is one of open, invited, closed/],
      ['invite create', 'nobody', { reason: 'Fine' }, /Enter an e-mail address/],
    ] as const) {
      const wrong = async () => run(name, subject, options);
      await expect(wrong()).rejects.toThrow(line);
      await expect(wrong()).rejects.toThrow(UsageError);
    }
    expect(await listActions()).toEqual(before);
  }, 60_000);
});
