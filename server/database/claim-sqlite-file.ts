import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { type ProcessLock, tryLock } from './process-lock.js';

/** One that nobody refers to would be closed with the garbage, and its lock with it. */
const held: ProcessLock[] = [];

/** Another server works on the same SQLite file. */
export class FileInUseError extends PlainFailure {
  override readonly name = 'FileInUseError';

  constructor(file: string) {
    super(
      `DATABASE_URL: another server works on ${file}, or still lets its last calls end. A SQLite file has one server: stop that one, or name another file; several servers can share MySQL.`,
    );
  }
}

/**
 * Makes a SQLite file this server's until the process ends, however it ends: two servers would each count limits for themselves,
 * and let a key in that the other one has revoked. Programs of the operator work beside it and do not ask. The lock is on a file of
 * its own beside the database, `….server-lock`, which stays there; another name of the same file comes to the same lock.
 * @param tell Is told why where the disk does not let the lock be asked for. The start goes on then, since what is wrong with the
 *   disk is judged by whoever writes to it.
 * @throws FileInUseError
 */
export function claimSqliteFile(file: string, tell: (error: unknown) => void): void {
  let lock: ProcessLock | null;
  try {
    lock = tryLock(`${findTrueName(file)}.server-lock`);
  } catch (error) {
    tell(error);
    return;
  }
  if (lock === null) throw new FileInUseError(file);
  held.push(lock);
}

function findTrueName(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}
