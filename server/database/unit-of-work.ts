import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { isPassingConflict, isRowLocked } from './database-errors.js';
import { SqliteFilePlace } from './sqlite-file-place.js';

const attemptsMax = 5;
const lockedWords =
  'Somebody else is changing the same right now, and takes too long. Nothing was changed. Try again shortly.';

type Work<Result> = (transaction: EntityManager) => Promise<Result>;
/** Whether a transaction that failed so is run again. */
type IsRepeated = (error: unknown) => boolean;

class LockedRowError extends AppError {
  constructor(cause: unknown) {
    super('service_unavailable', lockedWords, { retryAfterMs: 2_000, cause });
  }
}

/**
 * The only way to write to the database outside the ledger.
 *
 * On SQLite TypeORM shares one connection among all requests: two transactions at once fail, and a bare write made while
 * another request's transaction is open vanishes with its rollback. So writers queue there, one transaction after the
 * other. On MySQL each transaction has its own connection, and one that lost a deadlock is run again.
 */
export class UnitOfWork {
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** Account -> the last of its changes; it fails only where those behind it are to fail as well. */
  readonly #lastChanges = new Map<string, Promise<unknown>>();

  /** null: on MySQL there is no file. */
  readonly #filePlace: SqliteFilePlace | null;

  constructor(private readonly source: DataSource) {
    const { options } = source;
    this.#filePlace = options.type === 'better-sqlite3' ? new SqliteFilePlace(options.database) : null;
  }

  /** For reads that decide nothing. */
  get reader(): EntityManager {
    return this.source.manager;
  }

  /**
   * Runs `work` in one transaction: all of it is committed, or none. `work` may run again after a deadlock, so it must
   * touch nothing but the database; it must not call `transact` itself.
   * @throws AppError `service_unavailable` when somebody keeps a row of it locked, or the SQLite file was moved away beneath us; what
   *   `work` or the database throws.
   */
  transact<Result>(work: Work<Result>): Promise<Result> {
    return this.#transact(work, isPassingConflict);
  }

  /**
   * Changes an account: as `transact`, but one after the other in this process, so that however many are asked for, one connection
   * waits for the account's row. When somebody keeps a row locked, that is waited for once: all that wait behind are refused with it.
   * @throws as `transact`.
   */
  transactInTurn<Result>(accountId: string, work: Work<Result>): Promise<Result> {
    const before = this.#lastChanges.get(accountId) ?? Promise.resolve();
    const result = before.then(() => this.#transact(work, (error) => isPassingConflict(error) && !isRowLocked(error)));
    const last = result.catch((error: unknown) => {
      if (error instanceof LockedRowError) throw error;
    });
    this.#lastChanges.set(accountId, last);
    const forget = () => {
      if (this.#lastChanges.get(accountId) === last) this.#lastChanges.delete(accountId);
    };
    last.then(forget, forget);
    return result;
  }

  #transact<Result>(work: Work<Result>, isRepeated: IsRepeated): Promise<Result> {
    if (this.source.options.type !== 'better-sqlite3') return this.#transactWithRetry(work, isRepeated);
    const result = this.#lastWrite.then(() => this.#transactWithRetry(work, isRepeated));
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  async #transactWithRetry<Result>(work: Work<Result>, isRepeated: IsRepeated): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#transactOnce(work);
      } catch (error) {
        if (attempt >= attemptsMax || !isRepeated(error)) throw isRowLocked(error) ? new LockedRowError(error) : error;
        await sleep(5 * attempt + Math.random() * 20);
      }
    }
  }

  async #transactOnce<Result>(work: Work<Result>): Promise<Result> {
    if (this.#filePlace === null) return this.source.transaction(work);
    this.#filePlace.assertInPlace();
    return transactOnSqlite(this.source, work);
  }
}

/**
 * TypeORM's own transaction cannot be used: SQLite ends one by itself when its disk fails or is full, TypeORM takes it for open
 * still, and runs every later one inside of it, so that none is ever committed and the file stays locked for the ledger.
 */
async function transactOnSqlite<Result>(source: DataSource, work: Work<Result>): Promise<Result> {
  // Of the one connection that there is.
  const runner = source.createQueryRunner();
  await runner.query('BEGIN TRANSACTION');
  try {
    const result = await work(runner.manager);
    await runner.query('COMMIT');
    return result;
  } catch (error) {
    // When SQLite has done so by itself, there is nothing left to roll back.
    await runner.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
