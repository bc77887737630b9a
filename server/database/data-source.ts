import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { Pool } from 'mysql2';
import { DataSource, type DataSourceOptions, DefaultNamingStrategy, type Migration, type MixedList } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { giveToOwnerOf, makeFolder } from '../kernel/folders.js';
import { columnNameOf } from './columns.js';
import { type DatabaseAddress, readMysqlUrl } from './database-address.js';
import type { TellDatabaseNews } from './database-news.js';
import { MysqlServers } from './mysql-servers.js';
import { closePool } from './pool/close-pool.js';
import { boundWaits, createMysqlDriver, type PoolWaits } from './pool/mysql-pool.js';
import { findMysqlServerFaults, UnfitServerError } from './proofs/check-mysql-server.js';
import { type MigrationParts, migrate, undoLastMigration } from './schema-changes/migrate.js';
import { idleSessionMsMax, sqliteSessionPragmas } from './session-settings.js';
import { Sqlite } from './sqlite-driver.js';

/** The connections to MySQL of everything except money. */
const poolSize = 10;

export interface SchemaParts {
  // biome-ignore lint/complexity/noBannedTypes: TypeORM's own type of an entity or migration class.
  readonly entities: readonly Function[];
  // biome-ignore lint/complexity/noBannedTypes: as above.
  readonly migrations: readonly Function[];
  /** How long MySQL is waited for from the beginning; left out: as long as it takes. */
  readonly waits?: PoolWaits;
}

/** A column has the name of its property in snake case, unless its entity says another. */
class ColumnNames extends DefaultNamingStrategy {
  override columnName(property: string, customName?: string): string {
    return customName || columnNameOf(property);
  }
}

/** What opening a database needs besides it. */
export interface OpeningParts {
  /** What TypeORM's command line asks for; a migration is as safe without. */
  readonly transaction?: unknown;
  /** Told of what an operator should know; nobody by default. */
  readonly tell?: TellDatabaseNews;
  readonly clock?: Clock;
}

/**
 * A TypeORM source whose migrations can be interrupted, whoever runs them: the server, a test, TypeORM's command line.
 */
export class TollgateDataSource extends DataSource {
  /** @param hostCount how many servers the address names */
  constructor(
    options: DataSourceOptions,
    private readonly hostCount = 1,
  ) {
    super(options);
  }

  /** Connects to the first server of the address that lets us in. @throws the first one's error, with what the others said. */
  override async initialize(): Promise<this> {
    if (this.options.type === 'better-sqlite3') makeForOwnerAlone(this.options.database);
    const errors: Error[] = [];
    while (errors.length < this.hostCount) {
      try {
        return await super.initialize();
      } catch (error) {
        errors.push(error as Error);
      }
    }
    const [first, ...others] = errors as [Error];
    first.message = [first, ...others].map(({ message }) => message).join('; ');
    throw first;
  }

  /** Refuses a server that must not hold money, then see `migrate`. TypeORM's choice of transactions is not ours: it cannot make MySQL's schema follow them. */
  override async runMigrations(options: { fake?: boolean } & OpeningParts = {}): Promise<Migration[]> {
    if (options.fake === true) return super.runMigrations({ fake: true });
    const parts = withDefaults(options);
    if (this.options.type === 'mysql') await refuseUnfitServer(this, parts.tell);
    return migrate(this, parts);
  }

  /** Also where MySQL still owes an answer and says nothing; see `closePool`. */
  override async destroy(): Promise<void> {
    if (this.options.type !== 'mysql') await super.destroy();
    else await closePool((this.driver as MysqlDriver).pool as Pool, () => super.destroy());
  }

  override async undoLastMigration(
    options: Parameters<DataSource['undoLastMigration']>[0] & OpeningParts = {},
  ): Promise<void> {
    if (this.options.type !== 'mysql' || options.fake === true) await super.undoLastMigration(options);
    else await undoLastMigration(this, withDefaults(options));
  }
}

function withDefaults({ tell = () => {}, clock = systemClock }: OpeningParts): MigrationParts {
  return { tell, clock };
}

/**
 * Makes the TypeORM source of everything except money, which has a connection of its own in `ledger/`. Not yet connected;
 * never changes the schema by itself. Writes go through `UnitOfWork`.
 */
export function createDataSource(address: DatabaseAddress, parts: SchemaParts): TollgateDataSource {
  return new TollgateDataSource(
    {
      ...driverOptions(address, parts.waits ?? null),
      // biome-ignore lint/complexity/noBannedTypes: as above.
      entities: [...parts.entities] as MixedList<Function>,
      // biome-ignore lint/complexity/noBannedTypes: as above.
      migrations: [...parts.migrations] as MixedList<Function>,
      namingStrategy: new ColumnNames(),
      synchronize: false,
    } as DataSourceOptions,
    address.kind === 'mysql' ? MysqlServers.of(address.url).count : 1,
  );
}

/**
 * Connects, refuses a server that must not hold money before anything is changed, and brings the schema up to date; waits
 * while another server does so.
 * @throws UnfitServerError, MigrationLockTimeoutError, or the driver's error. The source is closed then.
 */
export async function openDataSource(
  source: TollgateDataSource,
  parts: OpeningParts = {},
): Promise<TollgateDataSource> {
  await source.initialize();
  try {
    await source.runMigrations(parts);
  } catch (error) {
    await source.destroy();
    throw error;
  }
  if (source.options.type === 'mysql') boundWaits((source.driver as MysqlDriver).pool as Pool);
  return source;
}

async function refuseUnfitServer(source: DataSource, tell: TellDatabaseNews): Promise<void> {
  const { refusals, warnings } = await findMysqlServerFaults(source);
  if (refusals.length > 0) throw new UnfitServerError(refusals);
  for (const warning of warnings) tell('database_setting_endangers_commits', warning);
}

/**
 * A new SQLite file is for its owner alone, as the spool and the keys beside it are; SQLite gives the write-ahead log the same mode. One
 * that is there stays as its operator has set it.
 */
function makeForOwnerAlone(file: string): void {
  // Closing a file that is open here already would end SQLite's locks on it.
  if (existsSync(file)) return;
  try {
    // Not exclusively, since that follows no link to a file that is still missing.
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    // SQLite says next what is wrong with the place, in words that have a remedy.
    return;
  }
  const made = realpathSync(file);
  giveToOwnerOf(dirname(made), made);
}

function driverOptions(address: DatabaseAddress, waits: PoolWaits | null): DataSourceOptions {
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
  const { host, port, user, password, database, ssl, stream, disableEval } = readMysqlUrl(address.url);
  return {
    type: 'mysql',
    driver: createMysqlDriver(MysqlServers.of(address.url), waits),
    host,
    port,
    username: user,
    password,
    database,
    ...(ssl === undefined ? {} : { ssl }),
    // Fewer than there may be, or the pool ends no idle ones.
    extra: { stream, disableEval, maxIdle: poolSize - 1, idleTimeout: idleSessionMsMax, gracefulEnd: true },
    timezone: 'Z',
    charset: 'utf8mb4_bin',
    poolSize,
    connectTimeout: 5_000,
  };
}
