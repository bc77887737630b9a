import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { readDatabaseUrl } from '../database/database-address.js';
import { tryFolder } from '../kernel/folders.js';
import { findSecret } from '../kernel/settings/secret-setting.js';
import { defaultDatabaseUrl, defaultSpoolFolder } from './config.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface PathUse {
  /** Whether the SQLite file has to be there: a server makes one, and who only looks at it must not. */
  readonly mustFileExist: boolean;
  readonly isSpoolUsed: boolean;
}

const serverUse: PathUse = { mustFileExist: false, isSpoolUsed: true };

/**
 * Tries the places that the settings name, and says what is wrong with each in one sentence with the remedy. Makes the folders
 * that are missing, unless the file itself has to be there.
 */
export function findPathFaults(environment: Environment, use = serverUse): string[] {
  // What is wrong with the address itself is told by the reader of the settings.
  const { database } = readDatabaseUrl(findSecret('DATABASE_URL', environment).value ?? defaultDatabaseUrl);
  const spoolFolder = environment.SPOOL_DIR || defaultSpoolFolder;
  return [
    ...(database?.kind === 'sqlite' ? findFileFaults(database.file, use) : []),
    ...(use.isSpoolUsed ? findSpoolFaults(spoolFolder) : []),
  ];
}

function findFileFaults(file: string, { mustFileExist }: PathUse): string[] {
  const found = readState(file);
  if (found === 'nothing' && mustFileExist) {
    return [`DATABASE_URL: there is no file ${file}. Name the file of the server; this program makes none.`];
  }
  if (found === 'folder') return [`DATABASE_URL: ${file} is a folder. Name a file in it, such as ${file}/tollgate.db.`];
  if (found === 'other') return [`DATABASE_URL: ${file} is no ordinary file. Name a file that SQLite can use.`];
  if (mustFileExist) return [];
  const faults = findFolderFaults('DATABASE_URL', dirname(file));
  if (faults.length > 0 || found !== 'file') return faults;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return [];
  } catch (error) {
    return [`DATABASE_URL: ${wordsOf(error)}. Let this user read and write that file, or name another.`];
  }
}

function readState(file: string): 'file' | 'folder' | 'other' | 'nothing' {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return 'nothing';
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch {
    // What keeps us from looking is found, and told, by whoever tries its folder.
    return 'nothing';
  }
}

// A disk that is full, failing or read-only for the moment is no fault of a setting: the server starts, takes no call without
// room for its settlement, says so in its health, and goes on when the disk does.
const settingsCodes: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EEXIST EACCES EPERM ELOOP ENAMETOOLONG EINVAL'.split(' '),
);

function findSpoolFaults(folder: string): string[] {
  const passes = (code: string) => existsSync(folder) && !settingsCodes.has(code);
  return findFolderFaults('SPOOL_DIR', folder, passes);
}

function findFolderFaults(setting: string, folder: string, passes: (code: string) => boolean = () => false): string[] {
  try {
    tryFolder(folder);
    return [];
  } catch (error) {
    if (passes(String((error as NodeJS.ErrnoException).code))) return [];
    return [`${setting}: ${wordsOf(error)}. Name a place where this user may make files.`];
  }
}

function wordsOf(error: unknown): string {
  return (error as Partial<Error>).message ?? String(error);
}
