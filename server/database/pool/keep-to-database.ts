import type { Pool } from 'mysql2';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import type { Logger } from '../../kernel/logger.js';
import { getDatabaseId } from '../database-id.js';
import type { UnitOfWork } from '../unit-of-work.js';
import { KnownDatabase, type TellPlace } from './known-database.js';
import { keepPoolTo } from './mysql-pool.js';

const remedy =
  'DATABASE_URL leads to another database than before, so calls are refused, and what was used waits in SPOOL_DIR. Make it lead to the old one again; to work on the new one, restart the server';

/**
 * Keeps a program to the database that it works on: what its MySQL address leads to later must be the same one, or it counts as away, which
 * the log says once. SQLite has `SqliteFilePlace` for that.
 * @returns the database's id.
 */
export async function keepToDatabase(unitOfWork: UnitOfWork, logger: Logger): Promise<string> {
  const databaseId = await getDatabaseId(unitOfWork);
  const { driver, options } = unitOfWork.reader.connection;
  const tell: TellPlace = (isInPlace, found) => {
    if (isInPlace) logger.info('database_back_in_place', { databaseId });
    else logger.error('database_replaced', { databaseId, found, remedy });
  };
  if (options.type === 'mysql') keepPoolTo((driver as MysqlDriver).pool as Pool, new KnownDatabase(databaseId, tell));
  return databaseId;
}
