import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { Pool } from 'mysql2';
import { DataSource, type DataSourceOptions, type MixedList } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { findMysqlServerFaults } from './check-mysql-server.js';
import { type DatabaseAddress, readMysqlUrl } from './database-address.js';
import { createMysqlDriver, cutSilentConnections } from './mysql-pool.js';
import { MysqlServers } from './mysql-servers.js';
import { sqliteSessionPragmas } from './session-settings.js';
import { Sqlite } from './sqlite-driver.js';

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

function driverOptions(address: DatabaseAddress): DataSourceOptions {
  if (address.kind === 'sqlite') {
    mkdirSync(dirname(address.file), { recursive: true });
    return {
      type: 'better-sqlite3',
      driver: Sqlite,
      database: address.file,
      prepareDatabase: (database: BetterSqlite3.Database) => {
        for (const pragma of sqliteSessionPragmas) database.pragma(pragma);
      },
    };
  }
  const { host, port, user, password, database, ssl, stream } = readMysqlUrl(address.url);
  return {
    type: 'mysql',
    driver: createMysqlDriver(MysqlServers.of(address.url)),
    ...{ host, port, username: user, password, database },
    ...(ssl === undefined ? {} : { ssl }),
    extra: { stream },
    timezone: 'Z',
    charset: 'utf8mb4_bin',
    poolSize: 10,
    connectTimeout: 5_000,
  };
}
