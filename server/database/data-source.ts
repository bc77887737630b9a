import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import mysql2, { type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { DataSource, type DataSourceOptions, type MixedList } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { makeFolder } from '../kernel/folders.js';
import { findMysqlServerFaults } from './check-mysql-server.js';
import { type DatabaseAddress, readMysqlUrl } from './database-address.js';
import { mysqlSessionStatements, sqliteSessionPragmas } from './session-settings.js';
import { Sqlite } from './sqlite-driver.js';

/** No statement of a request takes nearly as long; a server that says nothing for this long is taken for gone. */
const silenceMsMax = 5_000;

export interface SchemaParts {
  // biome-ignore lint/complexity/noBannedTypes: TypeORM's own type of an entity or migration class.
  readonly entities: readonly Function[];
  // biome-ignore lint/complexity/noBannedTypes: as above.
  readonly migrations: readonly Function[];
}

/**
 * Makes the TypeORM source of everything except money, which has a connection of its own in `ledger/`. Not yet connected;
 * never changes the schema by itself. Writes go through `UnitOfWork`.
 */
export function createDataSource(address: DatabaseAddress, parts: SchemaParts): DataSource {
  return new DataSource({
    ...driverOptions(address),
    // biome-ignore lint/complexity/noBannedTypes: as above.
    entities: [...parts.entities] as MixedList<Function>,
    // biome-ignore lint/complexity/noBannedTypes: as above.
    migrations: [...parts.migrations] as MixedList<Function>,
    synchronize: false,
  } as DataSourceOptions);
}

/**
 * Connects and brings the schema up to date.
 * @param warn Told of settings of the server that endanger acknowledged commits.
 * @throws when the server is set up so that it must not hold money.
 */
export async function openDataSource(
  source: DataSource,
  warn: (warning: string) => void = () => {},
): Promise<DataSource> {
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  if (source.options.type !== 'mysql') return source;
  cutSilentConnections((source.driver as MysqlDriver).pool as Pool);
  const { refusals, warnings } = await findMysqlServerFaults(source);
  warnings.forEach(warn);
  if (refusals.length === 0) return source;
  await source.destroy();
  throw new Error(`This MySQL server cannot be used:\n${refusals.map((refusal) => `  - ${refusal}`).join('\n')}`);
}

// A network that swallows everything tells nobody: without this, whoever asked would wait for ever, and with him the
// connection. Only while one is in use, and only after the migrations, which may take their time.
function cutSilentConnections(pool: Pool): void {
  pool.on('acquire', (connection) => socketOf(connection).setTimeout(silenceMsMax));
  pool.on('release', (connection) => socketOf(connection).setTimeout(0));
}

class SilentConnectionError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super(`The database has said nothing for ${silenceMsMax} ms.`);
  }
}

// mysql2 has it on every connection, but not in its types.
function socketOf(connection: PoolConnection): Socket {
  return (connection as PoolConnection & { readonly stream: Socket }).stream;
}

function driverOptions(address: DatabaseAddress): DataSourceOptions {
  if (address.kind === 'sqlite') {
    makeFolder(dirname(address.file));
    return {
      type: 'better-sqlite3',
      driver: Sqlite,
      database: address.file,
      prepareDatabase: (database: BetterSqlite3.Database) => {
        for (const pragma of sqliteSessionPragmas) database.pragma(pragma);
      },
    };
  }
  const { user, ...server } = readMysqlUrl(address.url);
  return {
    type: 'mysql',
    driver: mysqlWithPinnedSessions,
    ...server,
    username: user,
    timezone: 'Z',
    charset: 'utf8mb4_bin',
    poolSize: 10,
    connectTimeout: 5_000,
  };
}

// TypeORM has no hook for a new pool connection, so it is given a mysql2 whose pools pin each session's settings.
const mysqlWithPinnedSessions = {
  ...mysql2,
  createPool(options: PoolOptions) {
    const pool = mysql2.createPool(options);
    pool.on('connection', (connection) => {
      for (const statement of mysqlSessionStatements) connection.query(statement);
      const socket = socketOf(connection);
      socket.once('timeout', () => socket.destroy(new SilentConnectionError()));
    });
    return pool;
  },
};
