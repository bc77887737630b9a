import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { DatabaseAddress } from '../database/database-address.js';
import { Secret } from '../kernel/secret.js';
import { findRepositoryRoot } from './architecture/source-tree.js';
import type { Query } from './insert-statement.js';
import { findSpare, keepSpare, rememberFresh } from './spare-databases.js';
import { makeTestFolder } from './test-folder.js';

/** An empty database of one test: no tables, nobody else's connections. */
export interface TestDatabase {
  readonly kind: DatabaseAddress['kind'];
  readonly address: DatabaseAddress;
  /**
   * Removes the database and all that is in it; one with the schema, on a server that goes with this run, is kept for a later suite
   * instead, which empties it. Close your own connections first. A second call does nothing.
   */
  drop(): Promise<void>;
  /** For `giveSchema`; only on a server that goes with this run. */
  readonly reuse?: ReusableDatabase;
}

/** Makes the database of a test, on the server that its suite runs on. */
export type OpenTestDatabase = () => Promise<TestDatabase>;

/** A database that may be left to a later suite of this process, or take one over. */
interface ReusableDatabase {
  /**
   * Puts a database that has the schema, and that an earlier suite has left, in the place of this one, which is empty.
   * @param of A copy of it, which would not hear of its new address, is left alone.
   */
  takeSpare(of: TestDatabase): Promise<boolean>;
  /** From now on it has the schema, as it was made. @param query asks it. */
  noteSchema(of: TestDatabase, query: Query): Promise<void>;
}

/**
 * Defines the same suite twice: on SQLite, and on the MariaDB or MySQL server that the test run started for itself or was
 * given. Each call of `openTestDatabase` makes a fresh, empty database; what a suite does not drop is dropped after its last
 * test. Where the machine has no such server, the second suite is shown as skipped; with CI=true it fails instead.
 */
export function describeOnEachDatabase(title: string, defineTests: (openTestDatabase: OpenTestDatabase) => void): void {
  if (!isOffSqlite()) describe(`${title} (SQLite)`, () => defineAndDrop(defineTests, openSqliteDatabase));
  describeOnMysql(title, defineTests);
}

/** The server's half of `describeOnEachDatabase`, for what SQLite does not have: a network in between. */
export function describeOnMysql(title: string, defineTests: (openTestDatabase: OpenTestDatabase) => void): void {
  if (isOffMysql()) return;
  const serverUrl = process.env.TEST_MYSQL_URL;
  if (serverUrl === undefined && process.env.CI === 'true') throw new Error('CI is set, and TEST_MYSQL_URL is not.');
  const describeOnServer = serverUrl === undefined ? describe.skip : describe;
  const product = process.env.TEST_MYSQL_PRODUCT ?? 'MariaDB';
  describeOnServer(`${title} (${product})`, () =>
    defineAndDrop(defineTests, () => openMysqlDatabase(String(serverUrl))),
  );
}

/**
 * Like `describeOnMysql`, on a server that this suite alone uses: for what changes the server itself, such as making it
 * read-only, which every other suite would notice.
 * @param options Further ones of the server, such as `--lower-case-table-names=1`.
 */
export function describeOnOwnMysql(
  title: string,
  defineTests: (openTestDatabase: OpenTestDatabase) => void,
  options: readonly string[] = [],
): void {
  describeOnMysql(title, () => {
    let server: PrivateServer | null = null;
    const shared = process.env.TEST_MYSQL_ADMIN_URL;
    beforeAll(async () => {
      const script = join(findRepositoryRoot(import.meta.dirname), 'scripts/private-database-server.mjs');
      const { startPrivateDatabaseServer } = (await import(script)) as PrivateServers;
      server = await startPrivateDatabaseServer({ options });
      if (server === null) throw new Error('This suite starts a server of its own, and finds no program of one.');
      process.env.TEST_MYSQL_ADMIN_URL = server.adminUrl;
    }, 120_000);
    defineAndDrop(defineTests, () => openMysqlDatabase(String(server?.url)));
    afterAll(async () => {
      process.env.TEST_MYSQL_ADMIN_URL = shared;
      await server?.stop();
    }, 60_000);
  });
}

interface PrivateServer {
  readonly url: string;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

interface PrivateServers {
  startPrivateDatabaseServer(wanted: { options: readonly string[] }): Promise<PrivateServer | null>;
}

/**
 * Whether this file runs on SQLite alone in this run: `scripts/test-scope.mjs` has the table, and `jest.config.mjs` hands it
 * over. Then there is no second suite, and nothing is shown as skipped.
 */
function isOffMysql(): boolean {
  const { pathsOffMysql } = globalThis as unknown as { readonly pathsOffMysql: readonly string[] };
  return pathsOffMysql.includes(expect.getState().testPath ?? '');
}

/** Whether this run is the one on a second server, whose SQLite half has run before, or this file's turn is on the server alone. */
function isOffSqlite(): boolean {
  const { pathsOffSqlite } = globalThis as unknown as { readonly pathsOffSqlite: readonly string[] };
  return process.env.TOLLGATE_TEST_DATABASES === 'server' || pathsOffSqlite.includes(expect.getState().testPath ?? '');
}

function defineAndDrop(defineTests: (openTestDatabase: OpenTestDatabase) => void, open: OpenTestDatabase): void {
  const opened: TestDatabase[] = [];
  defineTests(async () => {
    const database = await open();
    opened.push(database);
    return database;
  });
  // Defined after the suite's own hooks, so it runs after they have closed their connections.
  afterAll(async () => {
    for (const database of opened) await database.drop();
  });
}

/** A database of the SQLite half, for a suite that needs no other. */
export async function openSqliteDatabase(): Promise<TestDatabase> {
  // A file and not `:memory:`, since the ledger and everything else each have a connection of their own.
  const folder = makeTestFolder('test');
  return {
    kind: 'sqlite',
    address: { kind: 'sqlite', file: join(folder, 'tollgate.db') },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The `DATABASE_URL` of a process that is to use this database. */
export function databaseUrlOf(address: DatabaseAddress): string {
  return address.kind === 'sqlite' ? `sqlite:${address.file}` : address.url.reveal();
}

/** Whether the server of this run has a certificate: MySQL makes itself one, and so does MariaDB from 11.4 on. */
export async function hasCertificate(): Promise<boolean> {
  if (process.env.TEST_MYSQL_PRODUCT === 'MySQL') return true;
  const connection = await createConnection(String(process.env.TEST_MYSQL_ADMIN_URL));
  const [rows] = await connection.query("SHOW GLOBAL VARIABLES LIKE 'have_ssl'");
  await connection.end();
  return (rows as { readonly Value: string }[])[0]?.Value === 'YES';
}

/** This database as somebody sees it who may do everything on its server. */
export function adminUrlOf({ address }: TestDatabase): URL {
  const url = new URL(String(process.env.TEST_MYSQL_ADMIN_URL));
  url.pathname = new URL(databaseUrlOf(address)).pathname;
  return url;
}

async function openMysqlDatabase(serverUrl: string): Promise<TestDatabase> {
  let name = await createDatabase(serverUrl);
  let hasSchema = false;
  let isDropped = false;
  const reuse: ReusableDatabase = {
    takeSpare: async (of) => {
      const spare = of === database ? await findSpare(serverUrl) : null;
      if (spare === null) return false;
      await runOnServer(serverUrl, `DROP DATABASE ${name}`);
      name = spare;
      hasSchema = true;
      return true;
    },
    noteSchema: async ({ address }, query) => {
      if (address.kind !== 'mysql' || address.url.reveal() !== urlOf()) return;
      await rememberFresh(serverUrl, query);
      hasSchema = true;
    },
  };
  const urlOf = () => `${serverUrl}/${name}`;
  const database: TestDatabase = {
    kind: 'mysql',
    get address() {
      return { kind: 'mysql', url: new Secret(urlOf()) } as const;
    },
    drop: async () => {
      if (isDropped) return;
      isDropped = true;
      if (!hasSchema || !keepSpare(serverUrl, name)) await runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`);
    },
    ...(process.env.TEST_MYSQL_OWN_URL === serverUrl ? { reuse } : {}),
  };
  return database;
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `tollgate_${randomBytes(8).toString('hex')}`;
  await runOnServer(serverUrl, `CREATE DATABASE ${name}`);
  return name;
}

async function runOnServer(serverUrl: string, sql: string): Promise<void> {
  const connection = await createConnection(serverUrl);
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
