import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Sqlite } from '../database/sqlite-driver.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { databaseUrlOf, describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { testSecretsKey } from '../test/factor-app.js';
import { SoftwarePasskey } from '../test/software-passkey.js';
import { totpCodeAt } from './totp.js';

/** Long enough for two requests to come to the row that somebody keeps locked. */
const arrivalMs = 500;
const settings = { SECRETS_KEY: testSecretsKey };

describeOnEachDatabase('A secret that is begun by two tabs or servers at once', (openTestDatabase) => {
  let apps: readonly TestApp[];
  let account: TestAccount;

  // SQLite has one server.
  const start = async (database: TestDatabase) =>
    database.kind === 'sqlite' ? [await TestApp.start(database, settings)] : TestApp.startTwo(database, settings);
  beforeAll(async () => {
    apps = await start(await openTestDatabase());
  }, 60_000);
  beforeEach(async () => {
    account = await (apps[0] as TestApp).createAccount(0);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  const ask = async <Data>(mutation: string, n = 0): Promise<Data> => {
    const app = apps[n % apps.length] as TestApp;
    const data = await app.graphql<Record<string, Data>>(`mutation { ${mutation} }`, {}, account.sessionToken);
    return Object.values(data)[0] as Data;
  };
  /** Keeps changes of the account waiting. @returns what lets them go on. */
  const holdAccount = async (): Promise<() => Promise<void>> => {
    const { address } = (apps[0] as TestApp).database;
    if ('file' in address) {
      const file = new Sqlite(address.file);
      file.exec('BEGIN IMMEDIATE');
      return async () => void file.close();
    }
    const connection = await createConnection(databaseUrlOf(address));
    await connection.query('BEGIN');
    await connection.query('SELECT id FROM account WHERE id = ? FOR UPDATE', [account.accountId]);
    return () => connection.end();
  };
  /** Asks on each server before either is answered. @returns what the one who was served was told; the other one was refused. */
  const askTwice = async <Data>(mutation: string): Promise<Data> => {
    const release = await holdAccount();
    const asked = Promise.allSettled([ask<Data>(mutation, 0), ask<Data>(mutation, 1)]);
    await sleep(arrivalMs);
    await release();
    const served = (await asked).flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const refused = (await asked).flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason)] : []));
    expect(refused).toEqual([expect.stringMatching(/at the same moment.*CONFLICT/)]);
    return served[0] as Data;
  };
  const tell = (asked: Promise<unknown>) =>
    asked.then(
      () => 'taken',
      (error: Error) => error.message,
    );
  const rows = (sql: string) => (apps[0] as TestApp).query(sql);
  const confirm = (secret: string) =>
    ask<readonly string[]>(`confirmAuthenticatorApp(input: { code: "${totpCodeAt(secret, Date.now())}" })`);

  it('is of one authenticator app: the other one is refused, and shown no secret', async () => {
    const { secret } = await askTwice<{ secret: string }>('startAuthenticatorApp { secret }');
    expect(await tell(confirm(secret))).toBe('taken');
    expect(await rows(`SELECT 1 FROM authenticator_app WHERE account_id = '${account.accountId}'`)).toHaveLength(1);
  });

  it('is of one passkey in a session: the other one’s challenge is worth nothing', async () => {
    const begun = await Promise.all([ask<string>('startPasskey', 0), ask<string>('startPasskey', 1)]);
    const answers: string[] = [];
    for (const options of begun) {
      const response = JSON.stringify(new SoftwarePasskey().create(options));
      answers.push(await tell(ask(`addPasskey(input: { name: "n", response: ${response} }) { recoveryCodes }`)));
    }
    expect(answers.filter((answer) => answer === 'taken').length).toBeLessThanOrEqual(1);
    expect(answers.find((answer) => answer !== 'taken')).toMatch(/BAD_USER_INPUT|CONFLICT/);
  });

  it('is one whole set of recovery codes, which is shown; the other one is refused, and may be asked for after it', async () => {
    const { secret } = await ask<{ secret: string }>('startAuthenticatorApp { secret }');
    await confirm(secret);
    const [shown] = await askTwice<readonly string[]>('renewRecoveryCodes');
    const kept = await rows(`SELECT code_hash FROM recovery_code WHERE account_id = '${account.accountId}'`);
    expect(kept).toHaveLength(10);
    expect(await tell(ask(`proveFactor(input: { code: "${shown}" })`))).toBe('taken');
    expect(await tell(ask('renewRecoveryCodes'))).toBe('taken');
  });

  it('is one request for another address: the mail of the other is never sent', async () => {
    const change = (email: string) =>
      `changeEmail(input: { newEmail: "${email}@example.com", password: "a long enough password" })`;
    const answers = await Promise.all(
      ['one', 'two'].map((name, n) => tell(ask(change(`${name}-${account.accountId.slice(-8)}`), n))),
    );
    expect(answers).toEqual(['taken', 'taken']);
    const links = `SELECT 1 FROM account_link WHERE account_id = '${account.accountId}' AND purpose = 'confirm_email'`;
    expect(await rows(links)).toHaveLength(1);
  });

  it('is one secret of a key, and the one that programs use keeps its grace; the other one is refused', async () => {
    const [key] = await rows(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`);
    const { secret } = await askTwice<{ secret: string }>(`rotateApiKey(id: "${key?.id}") { secret }`);
    const calls = await Promise.all([secret, account.secret].map((one) => (apps[0] as TestApp).call(one, {})));
    expect(calls.map(({ status }) => status)).not.toContain(401);
  });

  it('is one secret of a webhook; the other one is refused', async () => {
    const made = `createWebhookEndpoint(input: { name: "n", url: "https://example.com/x", events: [CALL_COMPLETED] }) { id }`;
    const { id } = await ask<{ id: string }>(made);
    const { secret } = await askTwice<{ secret: string }>(`rotateWebhookSecret(id: "${id}") { secret }`);
    expect(await rows(`SELECT secret FROM webhook_endpoint WHERE id = '${id}'`)).toEqual([{ secret }]);
  });
});
