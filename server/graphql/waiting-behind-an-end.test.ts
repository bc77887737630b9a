import { createHash } from 'node:crypto';
import { type Connection, createConnection } from 'mysql2/promise';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { adminUrlOf, databaseUrlOf, describeOnMysql, type TestDatabase } from '../test/each-database.js';
import { eventually, eventuallyFind } from '../test/eventually.js';
import { testSecretsKey } from '../test/factor-app.js';

const password = 'a long enough password';
/** The server looks no sooner again which transactions wait, and not at all while it is asked more often. */
const cacheMs = 150;

/** What ends the owner of an account, as it is asked. */
const ends: Readonly<Record<string, string>> = {
  'a new password by mail':
    'resetPassword(input: { token: "TOKEN", newPassword: "four words that do not match", revokeKeys: true })',
  'a deletion of the account': `deleteAccount(input: { password: "${password}" })`,
  'an end of all sessions': 'signOutEverywhere',
};

const late: readonly string[] = [
  'createApiKey(input: { name: "late" }) { secret }',
  'createWebhookEndpoint(input: { name: "late", url: "https://example.com/x", events: [CALL_COMPLETED] }) { id }',
  'savePersonalItem(input: { kind: CONVERSATION, name: "late", content: "{}" }) { name }',
];

describeOnMysql('A change that waits for the row of an account', (openTestDatabase) => {
  let database: TestDatabase;
  let apps: TestApp[];
  let holder: Connection;
  let watcher: Connection;

  beforeAll(async () => {
    database = await openTestDatabase();
    apps = await TestApp.startTwo(database, { SECRETS_KEY: testSecretsKey, MAX_KEYS_PER_ACCOUNT: '100' });
    holder = await createConnection(databaseUrlOf(database.address));
    watcher = await createConnection(adminUrlOf(database).href);
  }, 120_000);
  afterAll(async () => {
    await holder.end();
    await watcher.end();
    for (const app of apps) await app.close();
  });

  const app = (n: number) => apps[n] as TestApp;
  const ask = (n: number, mutation: string, { sessionToken }: TestAccount) =>
    app(n)
      .graphql(`mutation { ${mutation} }`, {}, sessionToken)
      .then(
        () => 'done',
        (error: Error) => error.message,
      );
  const putLink = async ({ accountId }: TestAccount) => {
    const token = `tgl_${accountId}`;
    const hash = createHash('sha256').update(token).digest('hex');
    await app(0).query(
      `INSERT INTO account_link (id, account_id, purpose, email, email_normalised, token_hash, created_at_ms, expires_at_ms)
       SELECT '${accountId.replace('acct', 'link')}', id, 'reset_password', email, email_normalised, '${hash}', 0, ${Date.now() + 60_000}
       FROM account WHERE id = '${accountId}'`,
    );
    return token;
  };
  const countWaiting = async () => {
    const name = new URL(databaseUrlOf(database.address)).pathname.slice(1);
    const [rows] = await watcher.query(
      `SELECT COUNT(*) AS number FROM information_schema.innodb_trx AS trx JOIN information_schema.processlist AS process
       ON process.id = trx.trx_mysql_thread_id WHERE trx.trx_state = 'LOCK WAIT' AND process.db = '${name}'`,
    );
    return Number((rows as { number: unknown }[])[0]?.number);
  };

  /** null: on a busy machine, one of them gave up the row after its two seconds, before all had come to wait for it. */
  const endBeforeChanges = async (end: string) => {
    const account = await app(0).createAccount(0);
    const { accountId } = account;
    const ending = end.replace('TOKEN', await putLink(account));
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM account WHERE id = ? FOR UPDATE', [accountId]);
    let isOver = false;
    const ended = ask(0, ending, account).finally(() => {
      isOver = true;
    });
    await eventually(async () => isOver || (await countWaiting()) === 1, cacheMs);
    const changes = late.map((change) => ask(1, change, account));
    await eventually(async () => isOver || (await countWaiting()) === 2, cacheMs);
    await holder.query('COMMIT');
    const answers = await Promise.all(changes);
    const answer = await ended;
    if ([answer, ...answers].some((text) => text.startsWith('Somebody else is changing this'))) return null;
    expect(answer).toBe('done');
    return { accountId, answers };
  };

  it.each(Object.entries(ends))('is not made behind %s that waits before it', async (_, end) => {
    const { accountId, answers } = await eventuallyFind(() => endBeforeChanges(end));
    for (const answer of answers) expect(answer).toContain('UNAUTHENTICATED');
    for (const table of ['api_key', 'webhook_endpoint', 'personal_item']) {
      expect(await app(0).query(`SELECT * FROM ${table} WHERE account_id = '${accountId}' AND name = 'late'`)).toEqual(
        [],
      );
    }
  });
});
