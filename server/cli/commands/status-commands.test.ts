import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { runCommand } from '../../test/run-command.js';
import { listStatusCommands } from './status-commands.js';

describeOnEachDatabase('npm run tollgate -- status', (openTestDatabase) => {
  let database: TestDatabase;
  const run = async (options = {}) =>
    (await runCommand(listStatusCommands, database, { name: 'status', options })).output;

  beforeAll(async () => {
    database = await openTestDatabase();
  });

  it('tells what a running server does, and that it is gone once it has ended', async () => {
    // The database outlives the server.
    const app = await TestApp.start({ ...database, drop: async () => {} });
    const { secret } = await app.createAccount(5);
    const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };
    await (await app.call(secret, question)).text();
    expect((await app.call(secret, { ...question, model: 'no-such-model' })).status).toBe(404);
    const find = async () => JSON.parse(await run({ json: 'true' }));
    // It says so every five seconds.
    let found = await find();
    await eventually(async () => {
      found = await find();
      return found.processes[0]?.lastMinute.refusals === 1;
    }, 50);
    expect(found).toMatchObject({
      processes: [
        { id: expect.stringMatching(/^inst_/), callsRunning: 0, lastMinute: { calls: 1, failedCalls: 0, refusals: 1 } },
      ],
      ...{ notices: { givenUp: 0 }, quarantinedEvents: 0 },
    });
    const { tokens, commits, operations } = found.processes[0].lastMinute;
    expect(Math.min(tokens, commits, operations)).toBeGreaterThan(0);
    const words = await run();
    expect(words).toMatch(/^inst_\w+ {2}\d+\.\d+\.\d+ {2}running since \S+Z\n {2}now: 0 calls, 0 of them streams\n/);
    expect(words).toMatch(/: 1 calls, 0 failed, 1 refused, \d+ tokens\n/);
    await app.close();
    expect(await run()).toContain('No server process has reported within the last hour.');
  }, 60_000);
});
