import { existsSync, lchownSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one after the other. Node's own way of making them all never comes back
 * where a folder says that it is not there as soon as something is made in it, as `/proc` does. The folder itself is its user's alone, since
 * it holds money and secrets, and nobody else may write to those above it, whatever the umask is; one that is there stays as it is.
 * @throws the system's error, with the call `mkdir`.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of missing) makeOne(folder, folder === resolve(path) ? 0o700 : 0o755);
  if (statSync(path).isDirectory()) return;
  const error = new Error(`ENOTDIR: not a directory, mkdir '${path}'`);
  throw Object.assign(error, { code: 'ENOTDIR', syscall: 'mkdir', path });
}

// Another process may be making the same one.
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
    giveToOwnerOf(dirname(folder), folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}

/**
 * Gives what root has just made to whom `model` belongs to: a command that is typed as root works beside a server of another user, which
 * could not even read it. Does nothing for other users. Never throws: where root may not do that, whoever needs the file says so.
 */
export function giveToOwnerOf(model: string, made: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    const { uid, gid } = statSync(model);
    lchownSync(made, uid, gid);
  } catch {
    // As described.
  }
}

/** What tells a file from every other one of this machine, also from one that has its name later; null: there is none. */
export function findFileMark(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** What a file system without a sync of folders says. */
const folderSyncMissing = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

interface Disk {
  open(file: string, flags: string): Promise<Pick<FileHandle, 'sync' | 'close'>>;
}

/** Makes the names in a folder durable, where the file system knows that. @throws the disk's error. */
export async function syncFolder(folder: string, disk: Disk = { open }): Promise<void> {
  try {
    const handle = await disk.open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!folderSyncMissing.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Makes the folder if it is missing, and tries whether files can be made in it. @throws the system's error when not. */
export function tryFolder(path: string): void {
  makeFolder(path);
  rmdirSync(mkdtempSync(join(path, '.tollgate-probe-')));
}
