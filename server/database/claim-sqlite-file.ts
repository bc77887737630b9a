import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { type ProcessLock, tryLock } from './process-lock.js';

/** One that nobody refers to would be closed with the garbage, and its lock with it. */
const held: ProcessLock[] = [];
/** As many as Linux follows. */
const linksMax = 40;

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
  try {
    held.push(lockSqliteFile(file));
  } catch (error) {
    if (error instanceof FileInUseError) throw error;
    tell(error);
  }
}

/**
 * Takes the lock that the server of a file holds, for as long as nobody lets go of it.
 * @throws FileInUseError where a server has it; the system's error where the disk does not let it be asked for.
 */
export function lockSqliteFile(file: string): ProcessLock {
  const lock = tryLock(`${findTrueName(file)}.server-lock`);
  if (lock === null) throw new FileInUseError(file);
  return lock;
}

/**
 * The name of a file without links, whether it is there or not: a link may lead to a file that the first server makes.
 * @throws the system's error where its folder is missing, or links lead in a circle.
 */
export function findTrueName(file: string): string {
  let name = file;
  for (let followed = 0; followed <= linksMax; followed += 1) {
    name = join(realpathSync(dirname(name)), basename(name));
    const target = findLinkTarget(name);
    if (target === null) return name;
    name = resolve(dirname(name), target);
  }
  throw Object.assign(new Error(`ELOOP: too many links, open '${file}'`), {
    code: 'ELOOP',
    syscall: 'open',
    path: file,
  });
}

/** null: it is no link, or nothing lies there. */
function findLinkTarget(name: string): string | null {
  try {
    return readlinkSync(name);
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}
