import { QueryFailedError } from 'typeorm';
import { WebSocket } from 'ws';
import { startBehindProxy } from '../test/app-behind-proxy.js';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { listDriverErrors } from '../test/driver-errors.js';
import { describeOnEachDatabase, describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import type { TcpProxy } from '../test/tcp-proxy.js';
import { createDataSource } from './data-source.js';
import { findDatabaseAway } from './database-errors.js';

const away = { code: 'INTERNAL', reason: 'service_unavailable', retryAfterSeconds: 2 };
const signUp = (name: string) =>
  `mutation { signUp(input: { email: "${name}@example.com", password: "a long enough password", name: "A" }) { sessionToken } }`;
const signIn =
  'mutation { signIn(input: { email: "person-1@example.com", password: "a long enough password" }) { sessionToken } }';
const rename = 'mutation { updateProfile(input: { name: "B" }) { id } }';

describe('an error of a driver', () => {
  it('means that the database is away unless it is known to be the statement’s own fault, and no other error does', () => {
    const wrap = (error: unknown) => new QueryFailedError('SELECT 1', [], error as Error);
    const own = listDriverErrors().filter(({ error }) => error instanceof Error && !findDatabaseAway(wrap(error)));
    const names = own.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['server 1062', 'server 1064', 'SQLITE_CONSTRAINT_CHECK']));
    for (const name of [
      'server 1040',
      'server 1203',
      'server 1062, fatal',
      'ECONNREFUSED',
      'SQLITE_FULL',
      'nameless 0',
    ])
      expect(names).not.toContain(name);
    expect(listDriverErrors().filter(({ error }) => findDatabaseAway(error) !== null)).toEqual([]);
  });
});

describeOnEachDatabase('a statement that is wrong', (openTestDatabase) => {
  it('is a fault of ours, and never told as a database that is away', async () => {
    const database = await openTestDatabase();
    const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
    await source.query('CREATE TABLE one (id INT PRIMARY KEY)');
    await source.query('INSERT INTO one VALUES (1)');
    for (const sql of ['SELECT nothing FROM one', 'SELEKT', 'SELECT * FROM two', 'INSERT INTO one VALUES (1)'])
      expect([sql, findDatabaseAway(await source.query(sql).catch((error: unknown) => error))]).toEqual([sql, null]);
    await source.destroy();
    await database.drop();
  });
});

describeOnMysql('the dashboard’s API while the database is away', (openTestDatabase) => {
  let network: TcpProxy;
  let app: TestApp;
  let account: TestAccount;
  beforeAll(async () => {
    ({ app, network } = await startBehindProxy(await openTestDatabase()));
    account = await app.createAccount(0);
  });
  afterEach(async () => {
    network.setFault('none');
    await eventually(async () => (await fetch(`${app.baseUrl}/readyz`)).ok, 100);
  });
  afterAll(async () => {
    await app?.close();
    await network?.close();
  });

  const ask = async (query: string, sessionToken?: string, path = '') => {
    const authorization = sessionToken === undefined ? {} : { authorization: `Bearer ${sessionToken}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const response = await fetch(`${app.baseUrl}/graphql${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const { errors } = (await response.json()) as { errors?: { message: string; extensions: object }[] };
    const [error] = errors ?? [];
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ...error };
  };

  it('says so in its own form, with a time to wait, to who has a session and who has none, and once in the log', async () => {
    network.setFault('down');
    const linesBefore = app.logLines.length;
    for (let round = 0; round < 5; round += 1) {
      const known = await ask('{ viewer { id } }', account.sessionToken);
      expect(known).toMatchObject({ status: 503, retryAfter: '2', extensions: away });
      const stream = await ask('subscription { balance { held } }', account.sessionToken, '/stream');
      expect(stream).toMatchObject({ status: 503, extensions: away });
      expect(await ask(signIn)).toMatchObject({ status: 200, extensions: away });
      expect(await ask(signUp(`late-${round}`))).toMatchObject({ status: 200, extensions: away });
    }
    const download = await fetch(`${app.baseUrl}/export/account.json`, {
      headers: { authorization: `Bearer ${account.sessionToken}` },
    });
    expect([download.status, download.headers.get('retry-after')]).toEqual([503, '2']);
    const lines = app.logLines.slice(linesBefore);
    expect(lines.filter((line) => /request_failed|graphql_failed|graphql_refused/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes('"database_away"'))).toHaveLength(1);
  }, 60_000);

  it('closes a WebSocket so that its client comes again', async () => {
    network.setFault('down');
    const socket = new WebSocket(`${app.baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const payload = { authorization: `Bearer ${account.sessionToken}` };
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(1013);
  });

  it.each(['cut-before-commit', 'cut-after-commit'] as const)(
    'says that it is not known whether a change was made whose COMMIT was under way: %s',
    async (fault) => {
      network.setFault(fault);
      const { message, extensions } = await ask(rename, account.sessionToken);
      expect(network.cuts).toBeGreaterThan(0);
      expect(extensions).toMatchObject(away);
      expect(message).toContain('It is not known whether it was changed');
    },
  );
});
