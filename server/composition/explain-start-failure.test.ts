import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { QueryFailedError } from 'typeorm';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { parseDatabaseUrl } from '../database/database-address.js';
import { UnfitServerError } from '../database/proofs/check-mysql-server.js';
import { entities, migrations } from '../entities.js';
import { databaseUrlOf, describeOnMysql } from '../test/each-database.js';
import { makeTestFolder } from '../test/test-folder.js';
import { explainStartFailure } from './explain-start-failure.js';

const password = 'canary-of-a-password';

/** What is said of a server that listens there. */
async function explainListening(host: string, port: number): Promise<string | null> {
  const server = createServer();
  const failure = once(server, 'listening').then(
    () => null,
    (error: unknown) => error,
  );
  server.listen(port, host);
  const error = await failure;
  if (error === null) server.close();
  return explainStartFailure(error);
}

/** What is said of a server on that database. */
async function explainOpening(databaseUrl: string): Promise<string | null> {
  try {
    const address = parseDatabaseUrl(databaseUrl);
    const source = await openDataSource(createDataSource(address, { entities, migrations }));
    await source.destroy();
    return null;
  } catch (error) {
    return explainStartFailure(error);
  }
}

describe('a server that cannot start names the setting and the remedy', () => {
  const folder = makeTestFolder('start');
  beforeAll(() => {
    writeFileSync(join(folder, 'notes.txt'), 'This is no database, but a text that is long enough to be read as one.');
  });

  it.each(['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED'])(
    'where the database has no connection to give: %s',
    (code) => {
      const words = explainStartFailure(Object.assign(new Error('Too many connections'), { code }));
      expect(words).toMatch(/^DATABASE_URL: Too many connections\. Raise max_connections there, or the limit/);
    },
  );

  it('where another program listens, and where no address of this machine is', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await explainListening('127.0.0.1', port)).toBe(
      `PORT: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Another program listens there: stop it, or set another port.`,
    );
    other.close();
    expect(await explainListening('192.0.2.1', 0)).toMatch(/^HOST: .* Set an address of this machine/);
  });

  it.each([
    ['notes.txt', /^DATABASE_URL: file is not a database\. Name a file that SQLite made/],
    ['.', /^DATABASE_URL: unable to open database file\. Name a file in a folder/],
    [
      'notes.txt/tollgate.db',
      /^DATABASE_URL or SPOOL_DIR: E.*mkdir.* Name a place where this user may make that folder/,
    ],
  ])('where the file is %s', async (file, words) => {
    expect(await explainOpening(`sqlite:${join(folder, file)}`)).toMatch(words);
  });

  it.each([
    [
      `mysql://root:${password}@127.0.0.1:1/tollgate`,
      /^DATABASE_URL: connect ECONNREFUSED .* Start the database there/,
    ],
    [`mysql://root:${password}@nowhere.invalid/tollgate`, /^DATABASE_URL: getaddrinfo .* Correct the name of the host/],
  ])('where nothing answers at %s', async (url, words) => {
    const said = await explainOpening(url);
    expect(said).toMatch(words);
    expect(said).not.toContain(password);
  });

  it('in the words of whoever refused the database', () => {
    expect(explainStartFailure(new UnfitServerError(['It has no InnoDB; turn that engine on.']))).toBe(
      'DATABASE_URL: This MySQL server cannot be used. It has no InnoDB; turn that engine on.',
    );
  });

  it.each([
    ['ER_RECORD_FILE_FULL', 1114, "The table 'call_record' is full"],
    ['ER_HOST_IS_BLOCKED', 1129, "Host 'app' is blocked because of many connection errors"],
    ['ER_NOBODY_KNOWS_IT', 9_999, 'Something new'],
  ])('in the words of the database, also where nobody has thought of them: %s', (code, errno, message) => {
    const refused = Object.assign(new Error(message), { code, errno, sqlState: 'HY000' });
    expect(explainStartFailure(refused)).toBe(`DATABASE_URL: ${message}. Look at the log of the database’s server.`);
    const wrapped = new QueryFailedError('ALTER TABLE call_record', [], refused);
    expect(explainStartFailure(wrapped)).toMatch(/^DATABASE_URL: .*Look at the log/);
  });

  it('where TLS refuses the certificate of the database, for whatever reason', () => {
    const early = Object.assign(new Error('certificate is not yet valid'), { code: 'CERT_NOT_YET_VALID' });
    expect(explainStartFailure(early)).toMatch(/^DATABASE_URL: certificate is not yet valid\. Name the authority/);
  });

  it('and leaves what no setting mends to its stack', () => {
    const ours = Object.assign(new Error('You have an error in your SQL syntax'), { errno: 1064, sqlState: '42000' });
    expect(explainStartFailure(ours)).toBeNull();
    expect(explainStartFailure(new TypeError('x is not a function'))).toBeNull();
    expect(explainStartFailure('text')).toBeNull();
  });
});

describeOnMysql('a server that its database refuses names the setting and the remedy', (openTestDatabase) => {
  it('for a wrong password, which is not said, and for a database that is not there', async () => {
    const { address, drop } = await openTestDatabase();
    const url = new URL(databaseUrlOf(address));
    const elsewhere = new URL(url);
    elsewhere.pathname = '/tollgate_not_there';
    expect(await explainOpening(elsewhere.href)).toMatch(
      /^DATABASE_URL: Unknown database .* Create the database first/,
    );
    url.username = 'nobody';
    url.password = password;
    const said = await explainOpening(url.href);
    expect(said).toMatch(/^DATABASE_URL: Access denied for user 'nobody'.* Correct user and password/);
    expect(said).not.toContain(password);
    await drop();
  });
});
