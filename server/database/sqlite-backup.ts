import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinMs } from '../kernel/jobs/within-ms.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { Sqlite } from './sqlite-driver.js';

/** Pages that are copied before others get a turn; 4 MB. */
const pagesPerStep = 1_000;
/** Every commit of a server is over within milliseconds. */
const lockTimeoutMs = 30_000;
const lockPauseMs = 20;
/** Half of what servers wait for the lock before they turn somebody away. */
const besideMsMax = 2_000;

/** What belongs to the same moment could not be had within the time for which writers may wait for it. */
class SlowBackupError extends PlainFailure {
  override readonly name = 'SlowBackupError';
}

/**
 * How large a copy will be: what lies in the write-ahead log, too, which may be larger than the file.
 * @throws the driver's error where the file cannot be read.
 */
export function readSqliteBytes(file: string): number {
  const source = new Sqlite(file, { fileMustExist: true });
  try {
    const read = (pragma: string) => Number(source.pragma(pragma, { simple: true }));
    return read('page_count') * read('page_size');
  } finally {
    source.close();
  }
}

/**
 * Copies a SQLite database as it stands at one moment, beside whoever reads and writes it. Writers wait for as long as `beside`
 * takes, two seconds at most, which sees that very moment: nothing is committed between its beginning and its end. The copy itself holds
 * up nobody.
 * @param target A file that is not there yet.
 * @param beside Takes what belongs to the same moment and lies outside of the database. It waits for nobody, neither for a terminal nor for
 *   another disk.
 * @throws SlowBackupError when `beside` takes longer; the driver's error when the database stays locked by somebody else for half a minute, or a disk fails.
 */
export async function backUpSqlite(file: string, target: string, beside: () => Promise<void>): Promise<void> {
  if (existsSync(target)) throw new Error(`${target} is there already.`);
  const source = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    const lock = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    try {
      await begin(() => lock.exec('BEGIN IMMEDIATE'));
      // From its first read on, a transaction sees the database of that moment until it ends.
      source.exec('BEGIN');
      source.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
      await inTime(beside());
    } finally {
      lock.close();
    }
    // Its owner alone reads it, also while it grows.
    await writeFile(target, '', { flag: 'wx', mode: 0o600 });
    await source.backup(target, { progress: () => pagesPerStep });
    source.exec('COMMIT');
  } finally {
    source.close();
  }
  const copy = new Sqlite(target);
  // One file and nothing beside it, which a folder that nobody may write to can hold as well. A server makes it WAL again.
  copy.pragma('journal_mode = DELETE');
  copy.close();
}

async function inTime(beside: Promise<void>): Promise<void> {
  const tooLate = new SlowBackupError(
    `What belongs to the same moment was not read within ${besideMsMax / 1_000} s, and servers may not be held up for longer. No backup was made. Try again when the disk has less to do.`,
  );
  await withinMs(besideMsMax, beside, tooLate);
}

async function begin(take: () => void): Promise<void> {
  for (const untilMs = performance.now() + lockTimeoutMs; ; await sleep(lockPauseMs)) {
    try {
      take();
      return;
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > untilMs) throw error;
    }
  }
}
