import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { copyFile, open, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { findTrueName, lockSqliteFile } from '../database/claim-sqlite-file.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { type ProcessLock, tryLock } from '../database/process-lock.js';
import { backUpSqlite } from '../database/sqlite-backup.js';
import { systemClock } from '../kernel/clock.js';
import { giveToOwnerOf, makeFolder } from '../kernel/folders.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { productVersion } from '../kernel/settings/product-version.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import { listFiles, listSettlementFiles, SpoolCopy } from './spool-copy.js';

/** It cannot be backed up, or restored, as asked; the message names the remedy. */
export class BackupRefusedError extends PlainFailure {
  override readonly name = 'BackupRefusedError';
}

export interface BackupParts {
  readonly database: DatabaseAddress;
  readonly spoolFolder: string;
  /** Made by a backup, read by a restore. */
  readonly folder: string;
  /** Told what is under way; awaited. */
  readonly report: (line: string) => void | Promise<void>;
}

const databaseName = 'tollgate.db';
const spoolName = 'spool';
const manifestName = 'backup.json';

const manifestShape = z.object({
  product: z.literal('tollgate'),
  version: z.string(),
  madeAt: z.string(),
  /** Path in the backup -> what it holds. */
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});

/**
 * Copies a SQLite installation beside running servers: the database and the settlements that wait on this disk, as of one moment, so
 * that no settlement is in neither. Servers are kept from writing for as long as the spool is read, two seconds at most. The books of the
 * copy are verified. The folder appears when all of it is on disk.
 * @throws SlowBackupError; BackupRefusedError on MySQL, where the folder is there already or another backup makes it, and when the books
 *   of the copy do not add up.
 */
export async function backUpInstallation(parts: BackupParts): Promise<void> {
  const { file } = needSqlite(
    parts.database,
    'Take its own backup and copy SPOOL_DIR: docs/backup.md has the commands.',
  );
  const target = resolve(parts.folder);
  makeFolder(dirname(target));
  const lock = lockTarget(target);
  try {
    await copyInstallation(file, target, parts);
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

async function copyInstallation(file: string, target: string, { spoolFolder, report }: BackupParts): Promise<void> {
  const partial = `${target}.partial`;
  if (existsSync(target)) throw new BackupRefusedError(`${target} is there already. Name a folder that is not.`);
  rmSync(partial, { recursive: true, force: true });
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
        await sync(join(partial, path));
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
  renameSync(partial, target);
  if (broken.length === 0) return;
  const sentences = broken.map(({ sentence }) => `  ${sentence}`).join('\n');
  throw new BackupRefusedError(`The copy is at ${target}, but its books do not add up:\n${sentences}`);
}

/**
 * Lays a backup where the settings say, and keeps servers from starting there, or working there already, meanwhile; see
 * `layDown`.
 * @throws FileInUseError while a server works on the file of that name, wherever the file itself was moved to.
 */
export async function restoreInstallation(parts: BackupParts): Promise<string> {
  const { file } = needSqlite(
    parts.database,
    'A backup of SQLite is restored to a file; `tollgate database move` takes it on.',
  );
  makeFolder(dirname(resolve(file)));
  const lock = lockSqliteFile(file);
  try {
    return await layDown(findTrueName(file), parts);
  } finally {
    lock.release('keep');
  }
}

/**
 * Lays a backup where the settings say that the database and the spool are. Nothing that is there is written over. Each file is
 * compared with what the backup says it holds.
 * @returns when the backup was made, for whoever has to know what is missing since then.
 * @throws BackupRefusedError where something lies there already, or the backup is damaged or none.
 */
async function layDown(file: string, { spoolFolder, folder, report }: BackupParts): Promise<string> {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) throw new BackupRefusedError(`${path} is there already. Move it away, or name another file.`);
  }
  if ((await listSettlementFiles(spoolFolder)).length > 0) {
    throw new BackupRefusedError(
      `SPOOL_DIR: settlements lie in ${spoolFolder}. Name an empty folder: they may be money.`,
    );
  }
  const { files, madeAt } = readManifest(folder);
  await report('Comparing the backup with its list …');
  for (const [path, wanted] of Object.entries(files)) {
    const found = await describeFile(join(folder, path)).catch(() => null);
    if (found?.sha256 !== wanted.sha256) throw new BackupRefusedError(`${join(folder, path)} is damaged or missing.`);
  }
  await report('Copying …');
  for (const path of Object.keys(files).filter((name) => name !== databaseName)) {
    const target = join(spoolFolder, path.slice(spoolName.length + 1));
    makeFolder(dirname(target));
    await copyFile(join(folder, path), target);
    giveToOwnerOf(dirname(target), target);
    await sync(target);
  }
  const partial = `${file}.partial`;
  await copyFile(join(folder, databaseName), partial);
  // A backup of the release before may be open to others.
  chmodSync(partial, 0o600);
  giveToOwnerOf(dirname(file), partial);
  await sync(partial);
  // Last: from now on a server can start on it.
  renameSync(partial, file);
  return madeAt;
}

function needSqlite(database: DatabaseAddress, remedy: string) {
  if (database.kind === 'sqlite') return database;
  throw new BackupRefusedError(`DATABASE_URL names a MySQL server. ${remedy}`);
}

function readManifest(folder: string) {
  try {
    const manifest = manifestShape.parse(JSON.parse(readFileSync(join(folder, manifestName), 'utf8')));
    // A path that leads out of the backup is none that we have written.
    const isOurs = (path: string) => path === databaseName || /^spool(\/[\w.-]+)+$/.test(path);
    if (databaseName in manifest.files && Object.keys(manifest.files).every(isOurs)) return manifest;
  } catch {
    // Told below.
  }
  throw new BackupRefusedError(`${folder} is no backup of Tollgate: it has no ${manifestName} that can be read.`);
}

async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.sync();
  await handle.close();
}
