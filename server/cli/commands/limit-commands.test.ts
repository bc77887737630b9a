import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { runCommand } from '../../test/run-command.js';
import { type ProgramOptions, UsageError } from '../operator-program.js';
import { listLimitCommands } from './limit-commands.js';

describeOnEachDatabase('npm run tollgate -- limit', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { REQUESTS_PER_MINUTE: '60' });

  // The models that there are depend on the providers that have a key.
  const settings = { OPENAI_API_KEY: 'sk-a-key-of-this-test' };

  /** What a command prints. */
  const run = async (name: string, subject = '', options: ProgramOptions = {}) =>
    (await runCommand(listLimitCommands, app.database, { name, subject, options, settings })).output;

  it('sets the limits of an account beside a running server, which keeps to them when it has answered', async () => {
    const { accountId, secret } = await app.createAccount(5);
    const ask = async () => {
      const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };
      return (await app.call(secret, body)).headers.get('x-ratelimit-limit-requests');
    };
    expect(await ask()).toBe('60');
    const options = { requests: '7', calls: '3', reason: 'Too many retries' };
    expect(await run('limit set', accountId, options)).toBe(
      `The account ${accountId} has 7 requests a minute, 3 calls at once.`,
    );
    expect(await ask()).toBe('7');
    expect(JSON.parse(await run('limit show', accountId, { json: 'true' }))).toEqual({
      ...{ requestsPerMinute: 7, tokensPerMinute: null, concurrentCalls: 3, keysMax: null, models: null },
    });
    expect(await run('limit set', accountId, { reason: 'All well' })).toContain('the server’s limits');
    expect(await ask()).toBe('60');
  }, 60_000);

  it('sets how many keys an account may have and which models it may call', async () => {
    const { accountId, secret } = await app.createAccount(5);
    const ask = async (model: string) =>
      (await app.call(secret, { model, messages: [{ role: 'user', content: 'Hi' }] })).status;
    const options = { keys: '3', models: 'gpt-4o-mini, gpt-4o', reason: 'A trial' };
    expect(await run('limit set', accountId, options)).toBe(
      `The account ${accountId} has 3 keys, the models gpt-4o-mini, gpt-4o.`,
    );
    expect([await ask('gpt-4o-mini'), await ask('gpt-4.1')]).toEqual([200, 403]);
    const misspelt = { models: 'gpt-4o-mimi', reason: 'A trial' };
    await expect(run('limit set', accountId, misspelt)).rejects.toThrow('There is no model `gpt-4o-mimi` here');
  }, 60_000);

  it('refuses what was typed wrong', async () => {
    await expect(run('limit show', 'acct_nobody')).rejects.toThrow('no such account');
    await expect((async () => run('limit set', 'acct_1', { requests: '1.5', reason: 'x' }))()).rejects.toThrow(
      UsageError,
    );
    await expect((async () => run('limit set', 'acct_1', { requests: '7' }))()).rejects.toThrow('--reason');
  });
});
