import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findFileMark } from '../kernel/folders.js';
import type { Logger } from '../kernel/logger.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { type ProcessLock, tryLock } from './process-lock.js';

/** By the name that was given. One that nobody refers to would be closed with the garbage, and its lock with it. */
const claims = new Map<string, SqliteClaim>();
/** Less than a server takes to start and to change anything. */
const looksEveryMs = 1_000;
/** As many as Linux follows. */
const linksMax = 40;

/** A SQLite file that is one server's. */
class SqliteClaim {
  readonly #trueName: string;
  #lock: ProcessLock;
  #isTaken = false;
  #isToldNotClaimed = false;

  /** @throws as `lockSqliteFile`. */
  constructor(
    private readonly file: string,
    private readonly logger: Logger,
  ) {
    this.#trueName = findTrueName(file);
    this.#lock = lockSqliteFile(file);
  }

  /** What is remembered of keys and limits may be old once another server has worked on the file, so that this one never goes on. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Looks whether the lock still keeps others out. Costs some microseconds. */
  look(): void {
    try {
      // Where the database itself was moved away, whoever writes to it sees that.
      if (this.#isTaken || this.#lock.isInPlace() || findFileMark(this.#trueName) === null) return;
      const lock = tryLock(nameLock(this.#trueName));
      this.#isToldNotClaimed = false;
      if (lock === null) {
        this.#isTaken = true;
        this.logger.error('database_file_taken', { file: this.file });
        return;
      }
      this.#lock.release('keep');
      this.#lock = lock;
      this.logger.warn('database_lock_made_anew', { file: this.file });
    } catch (error) {
      if (!this.#isToldNotClaimed) this.logger.warn('database_file_not_claimed', { error });
      this.#isToldNotClaimed = true;
    }
  }
}

/** Another server works on the same SQLite file. */
class FileInUseError extends PlainFailure {
  override readonly name = 'FileInUseError';

  constructor(file: string) {
    super(
      `DATABASE_URL: another server uses ${file}, or is still finishing its last calls. A SQLite file has one server: stop that one, or name another file; several servers can share MySQL.`,
    );
  }
}

/**
 * Makes a SQLite file this server's until the process ends, however it ends: two servers would each count limits for themselves,
 * and let a key in that the other one has revoked. Programs of the operator work beside it and do not ask. The lock is on a file of
 * its own beside the database, `….server-lock`, which stays there; another name of the same file comes to the same lock. Where that file
 * is removed or replaced, it is made anew within a second, or another server that has come in between is seen. Where the disk does not
 * let the lock be asked for, the log says so and the start goes on, since what is wrong with the disk is judged by whoever writes to it.
 * @throws FileInUseError
 */
export function claimSqliteFile(file: string, logger: Logger): void {
  try {
    const claim = new SqliteClaim(file, logger);
    claims.set(file, claim);
    setInterval(() => claim.look(), looksEveryMs).unref();
  } catch (error) {
    if (error instanceof FileInUseError) throw error;
    logger.warn('database_file_not_claimed', { error });
  }
}

/** Whether another server has come to work on a file that this one had claimed, by the same name. It stays so until the process ends. */
export function isSqliteFileTaken(file: string): boolean {
  const claim = claims.get(file);
  claim?.look();
  return claim?.isTaken === true;
}

/**
 * Takes the lock that the server of a file holds, until it is released.
 * @throws FileInUseError where a server has it; the system's error where the disk does not let it be asked for.
 */
export function lockSqliteFile(file: string): ProcessLock {
  const lock = tryLock(nameLock(findTrueName(file)));
  if (lock === null) throw new FileInUseError(file);
  return lock;
}

function nameLock(trueName: string): string {
  return `${trueName}.server-lock`;
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
