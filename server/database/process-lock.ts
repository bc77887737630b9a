import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { findFileMark, giveToOwnerOf } from '../kernel/folders.js';
import { Sqlite } from './sqlite-driver.js';

/** What becomes of a file when its owner closes it. It is removed only where its name is not another's by now. */
export type FileFate = 'keep' | 'remove';

/** A file that belongs to this process until it releases it or ends. */
export interface ProcessLock {
  /** Whether its file is still under its name, so that whoever asks for the lock there is refused. @throws the disk's error. */
  isInPlace(): boolean;
  release(fate: FileFate): void;
}

/** What holds the locks of this process: a connection that nobody refers to is closed by the garbage collector, and its lock is gone. */
const heldBy = new Set<object>();

/**
 * Takes the lock that a file stands for, which its owner holds as long as it lives, also where nobody refers to it any more. It is a
 * lock of the operating system's kernel on a file, taken through SQLite, because Node.js has no call for it: it ends with its process,
 * however that ends, and knows no process numbers, which containers repeat.
 * @returns null when somebody else has it.
 * @throws when the disk does not let it be asked for.
 */
export function tryLock(file: string): ProcessLock | null {
  const isMade = !existsSync(file);
  const database = new Sqlite(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    // Nothing is ever written, and a journal would only lie about.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    if (isMade) giveToOwnerOf(dirname(file), file);
  } catch (error) {
    database.close();
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  heldBy.add(database);
  const mark = findFileMark(file);
  const isInPlace = () => findFileMark(file) === mark;
  return {
    isInPlace,
    release: (fate) => {
      try {
        if (fate === 'remove' && isInPlace()) rmSync(file, { force: true });
      } finally {
        heldBy.delete(database);
        database.close();
      }
    },
  };
}
