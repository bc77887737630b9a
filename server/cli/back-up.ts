import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { findTrueName, lockSqliteFile } from '../database/claim-sqlite-file.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { type ProcessLock, tryLock } from '../database/process-lock.js';
import { backUpSqlite, readSqliteBytes } from '../database/sqlite-backup.js';
import { systemClock } from '../kernel/clock.js';
import { makeFolder, syncFolder } from '../kernel/folders.js';
import { productVersion } from '../kernel/settings/product-version.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import {
  BackupRefusedError,
  databaseName,
  describeFile,
  manifestName,
  spoolName,
  syncFile,
} from './backup-manifest.js';
import { explainDiskFailure, findRoomBytes, requireRoom } from './disk-room.js';
import { layDownBackup, type RestoreDisk } from './lay-down-backup.js';
import { countSettlementBytes, listFiles, SpoolCopy } from './spool-copy.js';

export interface BackupParts {
  readonly database: DatabaseAddress;
  readonly spoolFolder: string;
  /** Made by a backup, read by a restore. */
  readonly folder: string;
  /** Told what is under way; awaited. */
  readonly report: (line: string) => void | Promise<void>;
}

/**
 * Copies a SQLite installation beside running servers: the database and the settlements that wait on this disk, as of one moment, so
 * that no settlement is in neither. Servers are kept from writing for as long as the spool is read, two seconds at most. The books of the
 * copy are verified. The folder appears when all of it is on disk.
 * @throws SlowBackupError; BackupRefusedError on MySQL, where the folder is there already or another backup makes it, where a disk has no
 *   room or refuses it, which leaves nothing behind, and when the books of the copy do not add up.
 */
export async function backUpInstallation(parts: BackupParts, findRoom = findRoomBytes): Promise<void> {
  const { file } = needSqlite(
    parts.database,
    'Take its own backup and copy SPOOL_DIR: docs/backup.md has the commands.',
  );
  const target = resolve(parts.folder);
  makeFolder(dirname(target));
  const lock = lockTarget(target);
  try {
    await copyInstallation(file, target, parts, findRoom);
  } catch (error) {
    // It takes room that the servers beside it need.
    rmSync(`${target}.partial`, { recursive: true, force: true });
    const ending =
      'No backup was made, and what was written of it is removed. Make room there, or name another folder.';
    throw explainDiskFailure(error, target, ending) ?? error;
  } finally {
    lock.release('remove');
  }
}

function lockTarget(target: string): ProcessLock {
  const file = `${target}.lock`;
  let lock: ProcessLock | null;
  try {
    lock = tryLock(file);
  } catch (error) {
    // In its own words it would be a fault of the database.
    const { code } = error as { code?: string };
    throw new BackupRefusedError(`${file} cannot be made (${code}). Name a folder where this user may write.`);
  }
  if (lock === null) throw new BackupRefusedError(`Another backup to ${target} is under way. Let it end.`);
  return lock;
}

async function copyInstallation(
  file: string,
  target: string,
  { spoolFolder, report }: BackupParts,
  findRoom: typeof findRoomBytes,
): Promise<void> {
  const partial = `${target}.partial`;
  if (existsSync(target)) throw new BackupRefusedError(`${target} is there already. Name a folder that is not.`);
  rmSync(partial, { recursive: true, force: true });
  const bytes = readSqliteBytes(file) + (await countSettlementBytes(spoolFolder));
  await requireRoom([{ setting: `backup ${target}`, folder: dirname(target), bytes }], findRoom);
  // Whoever reads it reads e-mail addresses and every call.
  mkdirSync(partial, { mode: 0o700 });
  const copyOfDatabase = join(partial, databaseName);
  const spool = new SpoolCopy(spoolFolder, join(partial, spoolName));
  await report('Copying …');
  await spool.prepare();
  await backUpSqlite(file, copyOfDatabase, () => spool.take());
  await spool.writeDown();
  await report('Verifying the books of the copy …');
  const broken = listBroken(await verifyLedger({ kind: 'sqlite', file: copyOfDatabase }));
  for (const suffix of ['-wal', '-shm']) rmSync(copyOfDatabase + suffix, { force: true });
  const files = Object.fromEntries(
    await Promise.all(
      (await listFiles(partial)).map(async (path) => {
        await syncFile(join(partial, path));
        return [path, await describeFile(join(partial, path))] as const;
      }),
    ),
  );
  const manifest = {
    product: 'tollgate',
    version: productVersion,
    madeAt: new Date(systemClock.nowMs()).toISOString(),
    files,
  };
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true } as object);
  // Whoever is told that it is there finds it after a power cut, too.
  for (const below of listFoldersOf(Object.keys(files))) await syncFolder(join(partial, below));
  renameSync(partial, target);
  // It is whole and stands, whatever the folder around it refuses.
  await syncFolder(dirname(target)).catch((error: Error) =>
    report(`The name of ${target} may be lost by a power cut now: ${error.message}.`),
  );
  if (broken.length === 0) return;
  const sentences = broken.map(({ sentence }) => `  ${sentence}`).join('\n');
  throw new BackupRefusedError(`The copy is at ${target}, but its books do not add up:\n${sentences}`);
}

/** The folders in which these files lie, and those around them, up to the one that the paths begin in. */
function listFoldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set(['.']);
  for (const path of paths)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return folders;
}

/**
 * Lays a backup where the settings say, and keeps servers from starting there, or working there already, meanwhile; see
 * `layDownBackup`.
 * @throws FileInUseError while a server works on the file of that name, wherever the file itself was moved to.
 */
export async function restoreInstallation(parts: BackupParts, disk?: RestoreDisk): Promise<string> {
  const { file } = needSqlite(
    parts.database,
    'A backup of SQLite is restored to a file; `tollgate database move` takes it on.',
  );
  makeFolder(dirname(resolve(file)));
  const lock = lockSqliteFile(file);
  try {
    return await layDownBackup({ ...parts, file: findTrueName(file) }, disk);
  } finally {
    lock.release('keep');
  }
}

function needSqlite(database: DatabaseAddress, remedy: string) {
  if (database.kind === 'sqlite') return database;
  throw new BackupRefusedError(`DATABASE_URL names a MySQL server. ${remedy}`);
}
