import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { explainStartFailure } from '../composition/explain-start-failure.js';
import { describeOnMysql } from '../test/each-database.js';
import { findConfigFaults } from '../test/find-config-faults.js';
import { OwnDatabaseServer } from '../test/own-database-server.js';
import { TestAuthority } from '../test/test-authority.js';
import { makeTestFolder } from '../test/test-folder.js';
import { createDataSource } from './data-source.js';
import { parseDatabaseUrl } from './database-address.js';
import { describeMysqlServer } from './proofs/mysql-standing.js';

/*
 * Every error of a database's address: one line that names the setting, says what is wrong in the words of whoever found it, and
 * what to do. What is wrong with the address itself is found before anybody is asked.
 */

const password = 'canary-of-a-password';
const noTables = { entities: [], migrations: [] };

const findFaults = (url: string) => findConfigFaults({ DATABASE_URL: url });

/** What is said of a server that uses that address; null: it is let in. */
async function explainConnecting(url: string): Promise<string | null> {
  try {
    const source = await createDataSource(parseDatabaseUrl(url), noTables).initialize();
    await source.destroy();
    return null;
  } catch (error) {
    return explainStartFailure(error) ?? `not explained: ${error}`;
  }
}

function expectOneLine(said: string | null, line: RegExp): void {
  expect(said).toMatch(line);
  expect(said).toMatch(/^DATABASE_URL[^\n]+$/);
  expect(said).not.toContain(password);
}

describe('an address of the database that is wrong in itself', () => {
  const login = `someone:${password}`;
  let folder: string;
  let authority: TestAuthority;
  let files: Record<string, string>;
  beforeAll(() => {
    folder = makeTestFolder('address');
    authority = new TestAuthority();
    const [one, other] = [authority.issue('one', 'DNS:one'), authority.issue('other', 'DNS:other')];
    writeFileSync(join(folder, 'notes.txt'), 'no certificate');
    files = { CA: authority.ca, CERT: one.cert, KEY: one.key, OTHER: other.key, NOTES: join(folder, 'notes.txt') };
  });
  afterAll(() => authority.remove());
  const fillIn = (parameters: string) => parameters.replace(/\b[A-Z]+$|\b[A-Z]+(?=&)/g, (name) => files[name] ?? name);

  it.each([
    ['postgres://LOGIN@db/tollgate', /must be sqlite:<file> or mysql:/],
    ['mysql:/LOGIN@db/tollgate', /must be mysql:.*percent-encode/],
    ['mysql://LOGIN@db', /must be mysql:/],
    ['mysql://a/b:c@db/tollgate', /percent-encode @ : \/ \? # %/],
    ['mysql://a#b:c@db/tollgate', /percent-encode @ : \/ \? # %/],
    ['mysql://LOGIN@db/', /names no database: add \/name/],
    ['mysql://LOGIN@db/?ssl-mode=REQUIRED', /names no database: add \/name/],
    ['mysql://db/tollgate', /names no user: add user:password@/],
    ['mysql://@db/tollgate', /names no user: add user:password@/],
    ['mysql://LOGIN@/tollgate', /"" is no host: use a name/],
    ['mysql://LOGIN@:3306/tollgate', /":3306" is no host: use a name/],
    ['mysql://LOGIN@::1/tollgate', /"::1" is no host: .*\[an IPv6 address\]/],
    ['mysql://LOGIN@[::1/tollgate', /"\[::1" is no host/],
    ['mysql://LOGIN@db:0/tollgate', /"db:0" is no host: .*port up to 65535/],
    ['mysql://LOGIN@db:65536/tollgate', /"db:65536" is no host: .*port up to 65535/],
    ['mysql://LOGIN@db:port/tollgate', /"db:port" is no host/],
    ['mysql://LOGIN@db one/tollgate', /"db one" is no host/],
    ['mysql://LOGIN@db,/tollgate', /"" is no host/],
    [`mysql://LOGIN@${Array(17).fill('db').join(',')}/tollgate`, /more than 16 hosts/],
    ['mysql://someone:50%@db/tollgate', /a % in user or password .*write %25/],
    ['mysql://some%zzone@db/tollgate', /a % in user or password .*write %25/],
    ['mysql://LOGIN@db/toll%gate', /a % in name of the database .*write %25/],
    ['mysql://LOGIN@db/tollgate?socket=%zz', /a % in socket .*write %25/],
    ['mysql://LOGIN@db/tollgate?socket=', /"socket" without a value/],
    ['mysql://LOGIN@db/tollgate?sslmode=REQUIRED', /"sslmode": ssl-mode, ssl-ca, ssl-cert, ssl-key, socket are known/],
    ['mysql://LOGIN@db/tollgate?charset=utf8mb4', /does not know the parameter "charset"/],
    [
      'mysql://LOGIN@db/tollgate?ssl-mode=PREFERRED',
      /ssl-mode "PREFERRED": DISABLED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY/,
    ],
    ['mysql://LOGIN@db/tollgate?ssl-mode=toString', /ssl-mode "toString": DISABLED/],
    ['mysql://LOGIN@db/tollgate?ssl-mode=REQUIRED&ssl-mode=REQUIRED', /"ssl-mode" twice/],
    ['mysql://LOGIN@db/tollgate?ssl-mode=DISABLED&ssl-ca=CA', /ssl-mode=DISABLED would leave unused/],
    ['mysql://LOGIN@db/tollgate?ssl-ca=/none.pem', /cannot read ssl-ca: ENOENT.*\/none\.pem/],
    ['mysql://LOGIN@db/tollgate?ssl-ca=/etc', /cannot read ssl-ca: \/etc: it is a folder/],
    ['mysql://LOGIN@db/tollgate?ssl-ca=/dev/zero', /cannot read ssl-ca: \/dev\/zero: it is no ordinary file/],
    ['mysql://LOGIN@db/tollgate?ssl-ca=NOTES', /in ssl-ca a file without a certificate \(PEM\)/],
    ['mysql://LOGIN@db/tollgate?ssl-cert=NOTES&ssl-key=KEY', /in ssl-cert a file without a certificate \(PEM\)/],
    ['mysql://LOGIN@db/tollgate?ssl-cert=CERT', /needs both ssl-cert and ssl-key, or neither/],
    ['mysql://LOGIN@db/tollgate?ssl-key=KEY', /needs both ssl-cert and ssl-key, or neither/],
    [
      'mysql://LOGIN@db/tollgate?ssl-cert=CERT&ssl-key=NOTES',
      /in ssl-key a file that is not the private key of ssl-cert/,
    ],
    [
      'mysql://LOGIN@db/tollgate?ssl-cert=CERT&ssl-key=OTHER',
      /in ssl-key a file that is not the private key of ssl-cert/,
    ],
    ['sqlite:', /names no file: sqlite:data/],
    ['sqlite::memory:', /names no file/],
  ])('%s is one line with the remedy', (url, line) => {
    const [address = '', parameters] = url.replace('LOGIN', login).split(/(?<=\?)/);
    const faults = findFaults(parameters === undefined ? address : address + fillIn(parameters));
    expect(faults).toHaveLength(1);
    expectOneLine(faults[0] ?? null, line);
  });

  it('with several faults is one line for each', () => {
    const faults = findFaults(`mysql://${login}@db:0,::1,fine/?ssl-mode=ON&colour=red`);
    expect(faults).toHaveLength(5);
    for (const fault of faults) expectOneLine(fault, /: |names no database/);
  });

  it('that is right is taken, files and all', () => {
    const tls = `ssl-mode=VERIFY_CA&ssl-ca=${files.CA}&ssl-cert=${files.CERT}&ssl-key=${files.KEY}`;
    expect(findFaults(`mysql://${login}@db,[::1]:3307/tollgate?${tls}`)).toEqual([]);
  });
});

describe('an address at which there is no MySQL server', () => {
  let folder: string;
  let servers: Server[];
  beforeAll(async () => {
    folder = makeTestFolder('address');
    writeFileSync(join(folder, 'file'), '');
    servers = [
      createServer((socket) => socket.on('error', () => {}).end()),
      createServer((socket) => socket.on('error', () => {}).write('SSH-2.0-OpenSSH_9.2p1\r\n')),
    ];
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });
  const portOf = (index: number) => ((servers[index] as Server).address() as AddressInfo).port;

  it.each([
    ['nothing listens', () => '127.0.0.1:1/tollgate', /connect ECONNREFUSED 127\.0\.0\.1:1\. Start the database there/],
    ['no host has that name', () => 'nowhere.invalid/tollgate', /getaddrinfo E.* nowhere\.invalid\. Correct the name/],
    [
      'the socket is not there',
      () => `x/tollgate?socket=${folder}/none`,
      /connect ENOENT .*none\. .*path behind socket=/,
    ],
    ['the socket is a file', () => `x/tollgate?socket=${folder}/file`, /connect E\w+ .*file\. Start the database/],
    ['the socket is a folder', () => `x/tollgate?socket=${folder}`, /connect E\w+ .*\. Start the database/],
    ['whoever listens hangs up', () => `127.0.0.1:${portOf(0)}/tollgate`, /Connection lost.*Start the database there/],
    ['somebody else listens', () => `127.0.0.1:${portOf(1)}/tollgate`, /ETIMEDOUT.*or correct the address/],
    [
      'none of several hosts answers',
      () => '127.0.0.1:1,127.0.0.1:2/tollgate',
      /ECONNREFUSED 127\.0\.0\.1:1; connect ECONNREFUSED 127\.0\.0\.1:2\. Start/,
    ],
  ])('where %s is one line with the words of the system and the remedy', async (_, place, line) => {
    expectOneLine(await explainConnecting(`mysql://someone:${password}@${place()}`), line);
  });
});

describeOnMysql('an address at which the server does not let us in', () => {
  let authority: TestAuthority;
  let server: OwnDatabaseServer;
  let base: URL;
  beforeAll(async () => {
    authority = new TestAuthority();
    const { cert, key } = authority.issue('server', 'DNS:db.example');
    const files = [`--ssl-ca=${authority.ca}`, `--ssl-cert=${cert}`, `--ssl-key=${key}`];
    server = await OwnDatabaseServer.start([...files, '--require-secure-transport=ON']);
    base = new URL(`${server.address.url}/tollgate_address`);
    const admin = await createConnection({ uri: server.address.adminUrl, ssl: { rejectUnauthorized: false } });
    await admin.query('CREATE DATABASE tollgate_address');
    await admin.query(`CREATE USER locked@'127.0.0.1' IDENTIFIED BY '${password}' ACCOUNT LOCK`);
    await admin.query(`CREATE USER foreign_one@'127.0.0.1' IDENTIFIED BY '${password}'`);
    await admin.end();
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    authority?.remove();
  });

  const urlWith = (
    changes: Partial<Record<'hostname' | 'username' | 'password' | 'pathname', string>>,
    parameters: string,
  ) => `${Object.assign(new URL(base), changes).href}?${parameters}`;

  it.each([
    [
      'a wrong password',
      { password: 'wrong' },
      'ssl-mode=REQUIRED',
      /Access denied for user .* Correct user and password/,
    ],
    ['an unknown user', { username: 'nobody' }, 'ssl-mode=REQUIRED', /Access denied .* Correct user and password/],
    ['a locked account', { username: 'locked', password }, 'ssl-mode=REQUIRED', /locked.* Correct user and password/],
    [
      'no such database',
      { pathname: '/tollgate_none' },
      'ssl-mode=REQUIRED',
      /Unknown database .* Create the database first/,
    ],
    [
      'a database of others',
      { username: 'foreign_one', password },
      'ssl-mode=REQUIRED',
      /Access denied .* grant the user/,
    ],
    ['no TLS, which the server requires', {}, 'ssl-mode=DISABLED', /(insecure transport|Access denied).*\?ssl-mode=/i],
    ['an authority that nobody knows', {}, 'ssl-mode=VERIFY_CA', /self.signed certificate.* ssl-ca/],
    [
      'a certificate of another host',
      { hostname: 'localhost' },
      'ssl-mode=VERIFY_IDENTITY&ssl-ca=CA',
      /altnames.* the host that the certificate/,
    ],
  ])('for %s is one line with the server’s own words and the remedy', async (_, changes, parameters, line) => {
    expectOneLine(await explainConnecting(urlWith(changes, parameters.replace(/=CA$/, `=${authority.ca}`))), line);
  });

  it('and tells by what cipher it is encrypted where it does', async () => {
    const url = urlWith({}, `ssl-mode=VERIFY_CA&ssl-ca=${authority.ca}`);
    const source = await createDataSource(parseDatabaseUrl(url), noTables).initialize();
    expect(await describeMysqlServer(source)).toEqual({
      server: expect.stringMatching(/^\d+\./),
      tls: expect.stringMatching(/^TLS_/),
    });
    await source.destroy();
  });

  it('goes on with the next host where the first one does not answer', async () => {
    const url = urlWith({}, 'ssl-mode=REQUIRED').replace('@127', '@127.0.0.1:1,127');
    expect(await explainConnecting(url)).toBeNull();
  });
});
