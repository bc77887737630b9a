import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { BackupRefusedError } from './backup-manifest.js';

/** What is about to be written to a folder that is there. */
export interface WantedRoom {
  /** What names the folder: a setting, or what was typed. */
  readonly setting: string;
  readonly folder: string;
  readonly bytes: number;
}

/** @returns null where the file system does not say how much room it has. */
export async function findRoomBytes(folder: string): Promise<number | null> {
  const { bavail, bsize, blocks } = await statfs(folder);
  return blocks === 0 ? null : bavail * bsize;
}

/**
 * Looks whether all of it fits, before anything is written; what goes to the same disk is added up.
 * @throws BackupRefusedError naming the folder and what is missing.
 */
export async function requireRoom(wanted: readonly WantedRoom[], findRoom = findRoomBytes): Promise<void> {
  const disks = new Map<number, WantedRoom>();
  for (const one of wanted) {
    const { dev } = statSync(one.folder);
    disks.set(dev, { ...one, bytes: one.bytes + (disks.get(dev)?.bytes ?? 0) });
  }
  for (const { setting, folder, bytes } of disks.values()) {
    const room = await findRoom(folder);
    if (room === null || room >= bytes) continue;
    throw new BackupRefusedError(
      `${setting}: the disk of ${folder} has room for ${toMegabytes(room)} MB, and ${toMegabytes(bytes)} MB are needed. Nothing was written. Make room, or name a place on another disk.`,
    );
  }
}

/**
 * What a disk refused while files were written, in one line.
 * @param ending What stands now, and what to do.
 * @returns null for an error that no disk has made: it is worth its stack.
 */
export function explainDiskFailure(error: unknown, target: string, ending: string): BackupRefusedError | null {
  const { code, path, dest, message } = (error ?? {}) as Partial<NodeJS.ErrnoException> & { dest?: string };
  const isSystem = /^E[A-Z0-9]+$/.test(String(code));
  // Only a write is told so, and nothing but the target is written.
  const isFullDatabase = code === 'SQLITE_FULL';
  if (!isSystem && !isFullDatabase) return null;
  const place = dest ?? path ?? target;
  const words = isFullDatabase ? 'the disk is full' : String(message).replace(/\s+/g, ' ');
  return new BackupRefusedError(`${place}: ${words}. ${ending}`);
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
