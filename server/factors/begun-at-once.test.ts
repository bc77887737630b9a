import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../test/each-database.js';
import { testSecretsKey } from '../test/factor-app.js';
import { SoftwarePasskey } from '../test/software-passkey.js';
import { totpCodeAt } from './totp.js';

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
  const askTwice = <Data>(mutation: string) => Promise.all([ask<Data>(mutation, 0), ask<Data>(mutation, 1)]);
  const tell = (asked: Promise<unknown>) =>
    asked.then(
      () => 'taken',
      (error: Error) => error.message,
    );
  const rows = (sql: string) => (apps[0] as TestApp).query(sql);
  const confirm = (secret: string) =>
    ask<readonly string[]>(`confirmAuthenticatorApp(input: { code: "${totpCodeAt(secret, Date.now())}" })`);

  it('is of one authenticator app: the other one’s codes are told to be wrong', async () => {
    const begun = await askTwice<{ secret: string }>('startAuthenticatorApp { secret }');
    const answers: string[] = [];
    for (const { secret } of begun) answers.push(await tell(confirm(secret)));
    expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
    expect(answers.find((answer) => answer !== 'taken')).toMatch(/BAD_USER_INPUT|CONFLICT/);
    expect(await rows(`SELECT 1 FROM authenticator_app WHERE account_id = '${account.accountId}'`)).toHaveLength(1);
  });

  it('is of one passkey in a session: the other one’s challenge is worth nothing', async () => {
    const begun = await askTwice<string>('startPasskey');
    const answers: string[] = [];
    for (const options of begun) {
      const response = JSON.stringify(new SoftwarePasskey().create(options));
      answers.push(await tell(ask(`addPasskey(input: { name: "n", response: ${response} }) { recoveryCodes }`)));
    }
    expect(answers.filter((answer) => answer === 'taken').length).toBeLessThanOrEqual(1);
    expect(answers.find((answer) => answer !== 'taken')).toMatch(/BAD_USER_INPUT|CONFLICT/);
  });

  it('is one whole set of recovery codes, and none of another', async () => {
    const { secret } = await ask<{ secret: string }>('startAuthenticatorApp { secret }');
    await confirm(secret);
    const sets = await askTwice<readonly string[]>('renewRecoveryCodes');
    const kept = await rows(`SELECT code_hash FROM recovery_code WHERE account_id = '${account.accountId}'`);
    expect(kept).toHaveLength(10);
    expect(new Set(sets.flat()).size).toBe(20);
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

  it('is the last secret of a key or webhook, and of a key the one before it', async () => {
    const [key] = await rows(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`);
    const rotated = await askTwice<{ secret: string }>(`rotateApiKey(id: "${key?.id}") { secret }`);
    const calls = await Promise.all(rotated.map(({ secret }) => (apps[0] as TestApp).call(secret, {})));
    expect(calls.map(({ status }) => status)).not.toContain(401);
    const made = `createWebhookEndpoint(input: { name: "n", url: "https://example.com/x", events: [CALL_COMPLETED] }) { id }`;
    const { id } = await ask<{ id: string }>(made);
    const told = await askTwice<{ secret: string }>(`rotateWebhookSecret(id: "${id}") { secret }`);
    const [endpoint] = await rows(`SELECT secret FROM webhook_endpoint WHERE id = '${id}'`);
    expect(told.map(({ secret }) => secret)).toContain(endpoint?.secret);
  });
});
