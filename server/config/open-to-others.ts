import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config.js';

/** A place with money, secrets or receipts that other users of this machine can get at. */
export interface OpenPlace {
  readonly path: string;
  /** As `chmod` takes it. */
  readonly mode: string;
  readonly remedy: string;
}

/** What lies beside a SQLite file under its name: SQLite's own files, and the key of what is sealed in it. */
const endings = ['', '-wal', '-shm', '.secrets-key'];

type Places = Pick<Config, 'database' | 'spoolFolder' | 'retentionFolder'>;

/**
 * The SQLite file with what lies beside it, the folder of settlements and that of removed receipts, where users who are neither
 * their owner nor of their group may read or write. What is not there yet is made for its owner alone. A group is the operator's own choice.
 */
export function listOpenToOthers({ database, spoolFolder, retentionFolder }: Places): readonly OpenPlace[] {
  const files = database.kind === 'sqlite' ? endings.map((ending) => database.file + ending) : [];
  const folders = [spoolFolder, ...(retentionFolder === null ? [] : [retentionFolder])];
  return [...findOpen(files, '600'), ...findOpen(folders, '700')];
}

function findOpen(paths: readonly string[], closedMode: string): OpenPlace[] {
  // On Windows a mode says nothing of other users.
  if (process.platform === 'win32') return [];
  return paths.flatMap((path) => {
    try {
      const real = realpathSync(path);
      const { mode } = statSync(real);
      if ((mode & 0o006) === 0 || !letsOthersThrough(dirname(real))) return [];
      return [{ path, mode: (mode & 0o777).toString(8), remedy: `chmod ${closedMode} ${path}` }];
    } catch {
      // It is not there, or its fault is told by whoever uses it.
      return [];
    }
  });
}

function letsOthersThrough(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return folder === dirname(folder) || letsOthersThrough(dirname(folder));
}
