import { type DataSource, type Migration, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Clock } from '../../kernel/clock.js';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import type { TellDatabaseNews } from '../database-news.js';
import { probeMigrationGrants } from '../proofs/check-mysql-grants.js';
import { mysqlServingStatements } from '../session-settings.js';
import { explainMissingGuard, findMissingTriggers, standGuard } from './append-only.js';
import { beginExclusively, freeMigrationLock, linePauseMs, takeMigrationLock } from './migration-lock.js';
import { createStepTable, findHalfReverted, HalfRevertedError, MigrationSteps, noteStep } from './migration-steps.js';

/** What bringing a schema up to date needs besides the database. */
export interface MigrationParts {
  readonly clock: Clock;
  readonly tell: TellDatabaseNews;
}

/**
 * Runs each migration that is missing, oldest first. May be interrupted at any moment and begun again by any server; several
 * that begin at once wait for each other. On SQLite a migration is one transaction, on MySQL a list of steps (`MigrationSteps`).
 * @throws HalfRevertedError, MigrationLockTimeoutError, UnfitServerError when this user may not change the schema, or the driver's error; then what
 * was done so far stays, and the next start goes on from there.
 */
export async function migrate(source: DataSource, parts: MigrationParts): Promise<Migration[]> {
  if (source.options.type === 'mysql') await refuseHalfReverted(source);
  const isPending = (await new MigrationExecutor(source).getPendingMigrations()).length > 0;
  // No lock where nothing is to be done, which is how nearly every server starts.
  if (!isPending && (await findMissingTriggers(source)).length === 0) return [];
  if (source.options.type !== 'mysql') return withRunner(source, (runner) => migrateSqlite(runner, parts));
  if (isPending) await probeMigrationGrants(source);
  return withRunner(source, (runner) => underLock(runner, parts, () => migrateMysql(runner, parts)));
}

/**
 * Takes the newest migration of a MySQL database back, step by step and under the same lock. May be interrupted at any moment and begun
 * again; until it has come to its end, no server starts.
 */
export async function undoLastMigration(source: DataSource, parts: MigrationParts): Promise<void> {
  await withRunner(source, (runner) =>
    underLock(runner, parts, async () => {
      const executor = new MigrationExecutor(source, runner);
      const [last] = (await executor.getExecutedMigrations()).sort((a, b) => b.timestamp - a.timestamp);
      if (last === undefined) return;
      const migration = source.migrations.find((known) => (known.name ?? known.constructor.name) === last.name);
      if (migration === undefined) throw new PlainFailure(`This version does not know the migration ${last.name}.`);
      const steps = await MigrationSteps.takeOver(runner, parts.clock);
      await steps.beginReverting(last.name);
      await migration.down(runner);
      await steps.endReverting(last.name);
    }),
  );
}

async function refuseHalfReverted(source: DataSource): Promise<void> {
  const migration = await findHalfReverted(source);
  if (migration !== null) throw new HalfRevertedError(migration);
}

async function migrateMysql(runner: QueryRunner, { clock, tell }: MigrationParts): Promise<Migration[]> {
  const executor = new MigrationExecutor(runner.connection, runner);
  // Looked at again: whoever held the lock before may have done it all.
  const pending = await executor.getPendingMigrations();
  if (pending.length > 0) {
    const steps = await MigrationSteps.takeOver(runner, clock);
    for (const migration of pending) {
      const done = steps.countDone(migration.name);
      if (done > 0) tell('migration_resumed', `${migration.name} was interrupted; it goes on after step ${done}.`);
      steps.beginMigration(migration.name);
      await tellWhileItRuns(migration.name, tell, executor.executeMigration(migration));
    }
    steps.end();
  }
  const refusal = await standGuard(runner);
  if (refusal !== null) tell('append_only_not_enforced', explainMissingGuard(refusal));
  return pending;
}

async function tellWhileItRuns(name: string, tell: TellDatabaseNews, migration: Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    tell('migration_runs', `${name} has been under way for ${seconds} s; a large table takes its time.`);
  }, linePauseMs);
  try {
    await migration;
  } finally {
    clearInterval(timer);
  }
}

async function migrateSqlite(runner: QueryRunner, parts: MigrationParts): Promise<Migration[]> {
  const done: Migration[] = [];
  // Outside of any transaction, or SQLite takes no notice of what this sets.
  await runner.beforeMigration();
  try {
    for (;;) {
      const migration = await runNextOnSqlite(runner, parts);
      if (migration === null) return done;
      done.push(migration);
    }
  } finally {
    await runner.afterMigration();
  }
}

async function runNextOnSqlite(runner: QueryRunner, { clock, tell }: MigrationParts): Promise<Migration | null> {
  await beginExclusively(runner, (line) => tell('migration_awaited', line));
  try {
    const executor = new MigrationExecutor(runner.connection, runner);
    const [migration] = await executor.getPendingMigrations();
    if (migration === undefined) {
      await standGuard(runner);
    } else {
      await executor.executeMigration(migration);
      await runner.query(createStepTable({ isSqlite: true }));
      // Noted before, if it was taken back since.
      await runner.query('DELETE FROM migration_step WHERE migration = ?', [migration.name]);
      await runner.query(...noteStep(migration.name, 'whole', 'one transaction', clock));
    }
    await runner.query('COMMIT');
    return migration ?? null;
  } catch (error) {
    await runner.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function underLock<Result>(
  runner: QueryRunner,
  { tell }: MigrationParts,
  work: () => Promise<Result>,
): Promise<Result> {
  await takeMigrationLock(runner, (line) => tell('migration_awaited', line));
  try {
    // A change of the schema waits for the transactions of running servers, which are short; MySQL's own limit is a year.
    await runner.query('SET SESSION lock_wait_timeout = 60, innodb_lock_wait_timeout = 60');
    await allowEveryChange(runner);
    return await work();
  } finally {
    await giveBack(runner);
  }
}

// A MariaDB that is set so refuses a change of the schema for which it would copy a table. Only those before 11.5 listen to this.
async function allowEveryChange(runner: QueryRunner): Promise<void> {
  const known: unknown[] = await runner.query("SHOW SESSION VARIABLES LIKE 'alter_algorithm'");
  if (known.length > 0) await runner.query("SET SESSION alter_algorithm = 'DEFAULT'");
}

// Of a connection that is gone nothing is left to be set right.
async function giveBack(runner: QueryRunner): Promise<void> {
  try {
    for (const statement of mysqlServingStatements) await runner.query(statement);
    await freeMigrationLock(runner);
  } catch {
    return;
  }
}

async function withRunner<Result>(source: DataSource, work: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
  const runner = source.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
  }
}
