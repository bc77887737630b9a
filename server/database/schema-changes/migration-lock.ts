import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';

/** How long a server waits for another one that brings the schema up to date. */
export const lockWaitMsMax = 10 * 60_000;
const pollSeconds = 1;
/** Whoever waits is told so often that it goes on. */
export const linePauseMs = 30_000;

/** Another server has been changing the schema for longer than we wait. */
export class MigrationLockTimeoutError extends PlainFailure {
  override readonly name = 'MigrationLockTimeoutError';

  constructor(holder: string, waitedMs: number) {
    super(
      `DATABASE_URL: ${holder} has been bringing the schema up to date for more than ${Math.round(waitedMs / 1_000)} s. Start again when it is done; if it hangs, end it.`,
    );
  }
}

/**
 * Takes the lock under which the schema of this MySQL database is changed; waits for whoever holds it.
 *
 * It is a named lock (GET_LOCK) of the very connection that migrates, and not a row: the server frees it when that connection
 * is gone and the statement under way has ended, neither earlier nor later. A row with an expiry could expire under a
 * statement that still runs; a row locked by a transaction needs a second connection, since each change of the schema commits,
 * and that one can be lost alone. Every user may take it.
 * @param tell Is given one line each half minute, saying who is waited for.
 * @throws MigrationLockTimeoutError
 */
export async function takeMigrationLock(
  runner: QueryRunner,
  tell: (line: string) => void,
  waitMsMax = lockWaitMsMax,
): Promise<void> {
  const lock = await nameLock(runner);
  const startedMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  for (let pause = 0; ; pause = pollSeconds) {
    const [row] = await runner.query('SELECT GET_LOCK(?, ?) AS taken', [lock, pause]);
    if (Number(row.taken) === 1) return;
    const waitedMs = performance.now() - startedMs;
    const holder = await describeHolder(runner, lock);
    if (waitedMs > waitMsMax) throw new MigrationLockTimeoutError(holder, waitedMs);
    if (performance.now() - toldMs < linePauseMs) continue;
    tell(`Waits for ${holder}, which brings the schema up to date.`);
    toldMs = performance.now();
  }
}

/** Frees the lock. One of a connection that is gone is free already. */
export async function freeMigrationLock(runner: QueryRunner): Promise<void> {
  await runner.query('SELECT RELEASE_LOCK(?)', [await nameLock(runner)]);
}

// Names are at most 64 characters, of all databases of the server.
async function nameLock(runner: QueryRunner): Promise<string> {
  const [row] = await runner.query('SELECT DATABASE() AS name');
  return `tollgate.migrations.${createHash('sha256').update(String(row.name)).digest('hex').slice(0, 32)}`;
}

async function describeHolder(runner: QueryRunner, lock: string): Promise<string> {
  const [row] = await runner.query(
    'SELECT p.id AS id, p.host AS host FROM information_schema.processlist p WHERE p.id = IS_USED_LOCK(?)',
    [lock],
  );
  // Gone meanwhile, or of a user whose connections we may not see.
  return row === undefined ? 'another connection' : `connection ${row.id} from ${row.host}`;
}

/**
 * Begins a transaction that holds SQLite's only write lock, before anything is read; waits for whoever holds it, without
 * blocking this thread.
 * @throws MigrationLockTimeoutError
 */
export async function beginExclusively(
  runner: QueryRunner,
  tell: (line: string) => void,
  waitMsMax = lockWaitMsMax,
): Promise<void> {
  const startedMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  const [{ timeout }] = await runner.query('PRAGMA busy_timeout');
  await runner.query('PRAGMA busy_timeout = 0');
  try {
    for (;;) {
      if (await tryToBegin(runner)) return;
      const waitedMs = performance.now() - startedMs;
      if (waitedMs > waitMsMax) throw new MigrationLockTimeoutError('Another process', waitedMs);
      if (performance.now() - toldMs >= linePauseMs) {
        tell('Waits for another process, which writes to the same file.');
        toldMs = performance.now();
      }
      await sleep(50);
    }
  } finally {
    await runner.query(`PRAGMA busy_timeout = ${timeout}`);
  }
}

async function tryToBegin(runner: QueryRunner): Promise<boolean> {
  try {
    await runner.query('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}
