import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { runProgram } from '../test/run-program.js';

const ask = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };

const countLeased = async (app: TestApp, where = '1 = 1') =>
  Number((await app.query(`SELECT COUNT(*) AS n FROM call_record WHERE lease IS NOT NULL AND ${where}`))[0]?.n);

async function call(app: TestApp, { secret }: Pick<TestAccount, 'secret'>): Promise<void> {
  const response = await app.call(secret, ask);
  await response.text();
  expect(response.status).toBe(200);
}

async function callInPlayground(app: TestApp, { sessionToken }: TestAccount): Promise<void> {
  const headers = { 'content-type': 'application/json', cookie: `sid=${sessionToken}` };
  const url = `${app.baseUrl}/playground/chat/completions`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(ask) });
  await response.text();
  expect(response.status).toBe(200);
}

describeOnEachDatabase('A server that nobody has set up', (openTestDatabase) => {
  it('lets calls that follow each other in by leases, of a key with a spend limit and of any other', async () => {
    const app = await TestApp.start(await openTestDatabase(), { MAX_KEYS_PER_ACCOUNT: '2' });
    const account = await app.createAccount(50);
    const { createApiKey } = await app.graphql<{ createApiKey: { secret: string; apiKey: { id: string } } }>(
      'mutation { createApiKey(input: { name: "limited", spendLimit: 1000, spendPeriod: DAY }) { secret apiKey { id } } }',
      {},
      account.sessionToken,
    );
    const { secret, apiKey } = createApiKey;
    while ((await countLeased(app, `key_id <> '${apiKey.id}'`)) === 0) await call(app, account);
    while ((await countLeased(app, `key_id = '${apiKey.id}'`)) === 0) await call(app, { secret });
    const used = await app.query(
      `SELECT SUM(charged_millicredits) AS n FROM call_record WHERE key_id = '${apiKey.id}'`,
    );
    const counted = await app.query(`SELECT spent_millicredits AS n FROM key_spend WHERE key_id = '${apiKey.id}'`);
    expect(counted.map(({ n }) => Number(n))).toEqual(used.map(({ n }) => Number(n)));
    await app.close();
  }, 60_000);
});

describeOnMysql('A server on a database where accounts were made before its first start', (openTestDatabase) => {
  it('leases, since no server of the release before can run there', async () => {
    const database = await openTestDatabase();
    const program = await LedgerFixture.open(database);
    await program.createFundedAccount(1_000);
    await program.ledger.close();
    await program.source.destroy();
    const app = await TestApp.start(database);
    const account = await app.createAccount(50);
    while ((await countLeased(app)) === 0) await call(app, account);
    await app.close();
  }, 60_000);
});

describeOnMysql('A server beside one of the release before', (openTestDatabase) => {
  it('leases nothing, for the playground neither, until the operator has said that the last of those is gone', async () => {
    const database = await openTestDatabase();
    const app = await TestApp.start(database);
    const account = await app.createAccount(50);
    const countBeats = async () => Number((await app.query('SELECT SUM(beats) AS n FROM running_instance'))[0]?.n);
    const say = async (isComplete: number) => {
      await app.query(`UPDATE key_change_count SET is_complete = ${isComplete}`);
      const beats = await countBeats();
      await eventually(async () => (await countBeats()) >= beats + 2, 50);
    };
    await say(0);
    const standing = await runProgram('tollgate.js', database.address, { words: ['doctor'] });
    expect(standing.output).toContain('npm run tollgate -- upgrade finished');
    for (let round = 0; round < 8; round += 1) {
      await call(app, account);
      await callInPlayground(app, account);
    }
    expect(await countLeased(app)).toBe(0);
    await say(1);
    while ((await countLeased(app, "key_id = 'playground'")) === 0) await callInPlayground(app, account);
    while ((await countLeased(app, "key_id <> 'playground'")) === 0) await call(app, account);
    await app.close();
  }, 60_000);
});
