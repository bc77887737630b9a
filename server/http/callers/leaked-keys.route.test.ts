import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { closeServer, listenLocally, portOf } from '../../test/local-server.js';

const scanner = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const keyName = 'f9525bf080f75b35';

interface Feedback {
  readonly token_hash: string;
  readonly label: string;
}

describeOnEachDatabase('A report of keys that were found in public', (openTestDatabase) => {
  let app: TestApp;
  let published: Server;
  let asked: number;
  let answer: (response: ServerResponse) => void;
  let account: TestAccount;

  const list = {
    public_keys: [{ key_identifier: keyName, key: scanner.publicKey.export({ type: 'spki', format: 'pem' }) }],
  };

  beforeEach(async () => {
    asked = 0;
    answer = (response) => void response.end(JSON.stringify(list));
    published = createServer((_request, response) => {
      asked += 1;
      answer(response);
    });
    await listenLocally(published);
    const port = portOf(published);
    app = await TestApp.start(await openTestDatabase(), {
      SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${port}/keys`,
      MAX_KEYS_PER_ACCOUNT: '3',
    });
    account = await app.createAccount(5);
    await app.query(`UPDATE account SET email_verified_at_ms = 1 WHERE id = '${account.accountId}'`);
  });
  afterEach(async () => {
    await app.close();
    await closeServer(published);
  });

  const send = (body: string, { by = scanner, name = keyName, signed = body } = {}) =>
    fetch(`${app.baseUrl}/keys/leaked`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'github-public-key-identifier': name,
        'github-public-key-signature': sign('sha256', Buffer.from(signed), by.privateKey).toString('base64'),
      },
      body,
    });
  const tell = (...tokens: string[]) =>
    send(JSON.stringify(tokens.map((token) => ({ token, type: 'tollgate_key', url: 'https://github.com/a/b' }))));
  const labelsOf = async (response: Response) => ((await response.json()) as Feedback[]).map(({ label }) => label);
  const call = (secret: string) =>
    app.call(secret, { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] });
  const tellOwner = () => app.query("SELECT title, body FROM notice WHERE title LIKE '%found in public%'");

  it('revokes them before it answers, tells the owner once where they were found, and logs no secret', async () => {
    expect((await call(account.secret)).status).toBe(200);
    const unknown = `${account.secret.slice(0, -1)}${account.secret.endsWith('0') ? '1' : '0'}`;
    const response = await tell(account.secret, unknown, 'nonsense');
    expect(response.status).toBe(200);
    expect(await labelsOf(response)).toEqual(['true_positive', 'false_positive', 'false_positive']);
    expect((await call(account.secret)).status).toBe(401);
    expect(await labelsOf(await tell(account.secret))).toEqual(['true_positive']);
    const notices = await tellOwner();
    expect(notices).toHaveLength(1);
    expect(notices[0]?.body).toContain('https://github.com/a/b');
    const events = await app.query(
      "SELECT kind, network FROM account_event WHERE kind IN ('key_leaked', 'key_revoked')",
    );
    expect(events).toHaveLength(2);
    expect(app.logLines.join('') + JSON.stringify(notices)).not.toContain(account.secret);
    expect(asked).toBe(1);
  });

  it('of the old secret of a rotated key ends that one, and leaves the new one in force', async () => {
    const rotate = `mutation { rotateApiKey(id: "${(await app.query('SELECT id FROM api_key'))[0]?.id}") { secret } }`;
    const rotated = await app.graphql<{ rotateApiKey: { secret: string } }>(rotate, {}, account.sessionToken);
    expect((await call(account.secret)).status).toBe(200);
    expect(await labelsOf(await tell(account.secret))).toEqual(['true_positive']);
    expect((await call(account.secret)).status).toBe(401);
    expect((await call(rotated.rotateApiKey.secret)).status).toBe(200);
    expect(await tellOwner()).toHaveLength(1);
  });

  it('tells the owner also of the next old secret of that key', async () => {
    const [key] = await app.query('SELECT id FROM api_key');
    const rotate = `mutation { rotateApiKey(id: "${key?.id}") { secret } }`;
    const rotateOnce = async () =>
      (await app.graphql<{ rotateApiKey: { secret: string } }>(rotate, {}, account.sessionToken)).rotateApiKey.secret;
    const second = await rotateOnce();
    await tell(account.secret);
    await rotateOnce();
    expect(await labelsOf(await tell(second))).toEqual(['true_positive']);
    expect(await tellOwner()).toHaveLength(2);
  });

  it('is not believed when others signed it, other bytes were signed, or nobody did; nor is nonsense', async () => {
    const body = JSON.stringify([{ token: account.secret, type: 't', url: 'u' }]);
    const unsigned = await fetch(`${app.baseUrl}/keys/leaked`, { method: 'POST', body });
    const answers = [
      unsigned,
      await send(body, { by: stranger }),
      await send(`${body} `, { signed: body }),
      await send(body, { name: 'a key that nobody has' }),
      await send('{"token":1}'),
      await send('nonsense'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect((await send(JSON.stringify('x'.repeat(300_000)))).status).toBe(413);
    expect((await call(account.secret)).status).toBe(200);
    // The list is asked for once a minute, whatever keys are named.
    expect(asked).toBe(1);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['fail', (response) => response.writeHead(500).end()],
    ['are elsewhere', (response) => response.writeHead(302, { location: 'https://example.com/' }).end()],
    ['are without end', (response) => response.end(' '.repeat(100_000))],
    ['are no keys', (response) => response.end('{"public_keys":[{"key_identifier":"f9525bf080f75b35","key":"x"}]}')],
  ])('has to come again while the keys of the scanner %s', async (_, misbehave) => {
    answer = misbehave;
    const response = await tell(account.secret);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(account.secret)).status).toBe(200);
  });
});

describeOnEachDatabase('Reports of leaked keys', (openTestDatabase) => {
  it('are not taken where no address of keys is set', async () => {
    const app = await TestApp.start(await openTestDatabase());
    expect((await fetch(`${app.baseUrl}/keys/leaked`, { method: 'POST', body: '[]' })).status).toBe(404);
    await app.close();
  });
});
