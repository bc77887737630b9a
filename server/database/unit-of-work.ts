import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolConnection } from 'mysql2';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { AppError } from '../kernel/app-error.js';
import { isPassingConflict, isRowLocked } from './database-errors.js';
import { assertConnectionInPlace, assertPoolInPlace } from './pool/mysql-pool.js';
import { busyTimeoutMs, loopBusyTimeoutMs } from './session-settings.js';
import { SqliteFilePlace } from './sqlite-file-place.js';
import type { Standing } from './standing.js';

const attemptsMax = 5;
/** How long a transaction waits for SQLite's write lock, its turn included. */
const lockWaitMsMax = 5_000;
const lockPauseMsMax = 50;
/** What whoever meets with others that long is told to wait. */
const conflictRetryMs = 2_000;
const lockedWords = 'Somebody else is changing this right now. Nothing was changed. Try again shortly.';

type Work<Result> = (transaction: EntityManager) => Promise<Result>;
/** Whether a transaction that failed so is run again. */
type IsRepeated = (error: unknown) => boolean;

class LockedRowError extends AppError {
  constructor(cause: unknown) {
    super('service_unavailable', lockedWords, { retryAfterMs: conflictRetryMs, cause });
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
  /** Whether the last one that asked for SQLite's write lock did not get it. */
  #isLocked = false;

  /** null: on MySQL there is no file. */
  readonly #filePlace: SqliteFilePlace | null;

  /** @param findStanding Who asks for the transaction that is about to be asked for; null: this server itself, or whoever need not be known. */
  constructor(
    private readonly source: DataSource,
    private readonly findStanding: () => Standing | null = () => null,
  ) {
    const { options } = source;
    this.#filePlace = options.type === 'better-sqlite3' ? new SqliteFilePlace(options.database) : null;
  }

  /** For reads that decide nothing. */
  get reader(): EntityManager {
    return this.source.manager;
  }

  /** Who asks for what this code does; null: as `findStanding`. */
  get standing(): Standing | null {
    return this.findStanding();
  }

  /** Before it is believed that something is not there. @throws when another database has come into the place of ours. */
  async assertInPlace(): Promise<void> {
    if (this.#filePlace === null) await assertPoolInPlace(this.#pool);
    else this.#filePlace.assertInPlace();
  }

  /**
   * Runs `work` in one transaction: all of it is committed, or none. `work` may run again after a deadlock, so it must
   * touch nothing but the database; it must not call `transact` itself. Where somebody asks for it, it begins with the proof that they still
   * may, and waits for its turn as `transactInTurn` does.
   * @throws AppError `service_unavailable` when somebody keeps a row of it locked, five tries lost a deadlock, the SQLite file was moved away beneath us, or another
   *   program keeps it locked for five seconds; what `work` or the database throws.
   */
  transact<Result>(work: Work<Result>): Promise<Result> {
    const standing = this.findStanding();
    if (standing === null) return this.transactForServer(work);
    return standing.prove(work, (proven) => this.#transactInTurn(standing.turn, proven));
  }

  /** As `transact`, for what this server writes for many at once, whoever asks. @throws as `transact`. */
  transactForServer<Result>(work: Work<Result>): Promise<Result> {
    return this.#transact(work, isPassingConflict);
  }

  /**
   * Changes an account: as `transact`, but one after the other in this process, so that however many are asked for, one connection
   * waits for the account's row. When somebody keeps a row locked, that is waited for once: all that wait behind are refused with it.
   * @throws as `transact`.
   */
  transactInTurn<Result>(accountId: string, work: Work<Result>): Promise<Result> {
    const standing = this.findStanding();
    if (standing === null) return this.#transactInTurn(accountId, work);
    return standing.prove(work, (proven) => this.#transactInTurn(accountId, proven));
  }

  #transactInTurn<Result>(accountId: string, work: Work<Result>): Promise<Result> {
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

  get #pool(): Pool {
    return (this.source.driver as MysqlDriver).pool as Pool;
  }

  #transact<Result>(work: Work<Result>, isRepeated: IsRepeated): Promise<Result> {
    if (this.#filePlace === null) return this.#transactWithRetry(work, isRepeated);
    const untilMs = performance.now() + lockWaitMsMax;
    const result = this.#lastWrite.then(async () => {
      // Of the one connection that there is.
      const runner = this.source.createQueryRunner();
      await this.#lock(runner, untilMs);
      return transactLocked(runner, work);
    });
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  async #transactWithRetry<Result>(work: Work<Result>, isRepeated: IsRepeated): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.source.transaction(async (transaction) => {
          const connection: PoolConnection = await transaction.queryRunner?.connect();
          await assertConnectionInPlace(this.#pool, connection);
          return work(transaction);
        });
      } catch (error) {
        if (attempt >= attemptsMax || !isRepeated(error)) throw explainConflict(error);
        await sleep(5 * attempt + Math.random() * 20);
      }
    }
  }

  /**
   * Begins a transaction that has the file's write lock from its start, so that nothing in it can be refused for a lock. Each try blocks
   * this thread for some milliseconds (`loopBusyTimeoutMs`); streams and other requests go on in the pauses.
   */
  async #lock(runner: QueryRunner, untilMs: number): Promise<void> {
    // Whoever has waited for their turn as long as for a lock that is still not to be had need not try it.
    if (this.#isLocked && performance.now() > untilMs) throw lockedError();
    for (let attempt = 1; ; attempt += 1) {
      this.#filePlace?.assertInPlace();
      try {
        await runner.query(`PRAGMA busy_timeout = ${loopBusyTimeoutMs}`);
        await runner.query('BEGIN IMMEDIATE').finally(() => runner.query(`PRAGMA busy_timeout = ${busyTimeoutMs}`));
        this.#isLocked = false;
        return;
      } catch (error) {
        if (!isPassingConflict(error)) throw error;
        this.#isLocked = true;
        if (performance.now() > untilMs) throw lockedError(error);
        await sleep(Math.min(5 * attempt, lockPauseMsMax));
      }
    }
  }
}

/** What the last try lost by, for whoever asked for it: nobody mends anything by a driver's words of a deadlock. */
function explainConflict(error: unknown): unknown {
  if (isRowLocked(error)) return new LockedRowError(error);
  if (!isPassingConflict(error)) return error;
  return new AppError('service_unavailable', lockedWords, { retryAfterMs: conflictRetryMs, cause: error });
}

function lockedError(cause?: unknown): AppError {
  return new AppError('service_unavailable', 'The database is busy; nothing was changed. Try again shortly.', {
    retryAfterMs: conflictRetryMs,
    innerReason: `Another program kept the SQLite file locked for ${lockWaitMsMax / 1_000} s.`,
    cause,
  });
}

/**
 * TypeORM's own transaction cannot be used: SQLite ends one by itself when its disk fails or is full, TypeORM takes it for open
 * still, and runs every later one inside of it, so that none is ever committed and the file stays locked for the ledger.
 */
async function transactLocked<Result>(runner: QueryRunner, work: Work<Result>): Promise<Result> {
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
