import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveToOwnerOf, makeFolder, syncFolder } from '../kernel/folders.js';
import {
  type BackupManifest,
  BackupRefusedError,
  databaseName,
  describeFile,
  readManifest,
  spoolName,
  syncFile,
} from './backup-manifest.js';
import { explainDiskFailure, findRoomBytes, requireRoom } from './disk-room.js';
import { listSettlementFiles, partialSuffix } from './spool-copy.js';

/** Where a backup is laid. */
export interface RestorePlace {
  /** Of the database, as it is called behind all links. */
  readonly file: string;
  readonly spoolFolder: string;
  /** The backup. */
  readonly folder: string;
  readonly report: (line: string) => void | Promise<void>;
}

/** What the disks do; for tests of those that fail. */
export interface RestoreDisk {
  copyFile(from: string, to: string): Promise<void>;
  findRoomBytes(folder: string): Promise<number | null>;
}

interface LaidFile {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

const localDisk: RestoreDisk = { copyFile, findRoomBytes };

/**
 * Lays a backup where the settings say that the database and the spool are. Nothing that is there is written over. Each file is
 * compared with what the backup says it holds. All is copied under other names first, and gets its own when all is on disk, the database
 * last: cut off anywhere, it can be begun again, and takes what it has laid before for its own.
 * @returns when the backup was made, for whoever has to know what is missing since then.
 * @throws BackupRefusedError where something else lies there already, the backup is damaged or none, or a disk refuses it.
 */
export async function layDownBackup(place: RestorePlace, disk = localDisk): Promise<string> {
  const { file, spoolFolder, folder, report } = place;
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) throw new BackupRefusedError(`${path} is there already. Move it away, or name another file.`);
  }
  const manifest = readManifest(folder);
  const laid = await findLaid(spoolFolder, manifest);
  await report('Comparing the backup with its list …');
  for (const [path, wanted] of Object.entries(manifest.files)) {
    const found = await describeFile(join(folder, path)).catch(() => null);
    if (found?.sha256 !== wanted.sha256) throw new BackupRefusedError(`${join(folder, path)} is damaged or missing.`);
  }
  const files = Object.entries(manifest.files)
    .filter(([path]) => !laid.has(path))
    .map(([path, { bytes }]) => {
      const to = path === databaseName ? file : join(spoolFolder, path.slice(spoolName.length + 1));
      return { from: join(folder, path), to, bytes };
    });
  try {
    await layDown(files, place, disk);
  } catch (error) {
    for (const { to } of files) rmSync(to + partialSuffix, { force: true });
    const ending = 'Nothing was restored that a server could start on. Mend that, and type the same again.';
    throw explainDiskFailure(error, file, ending) ?? error;
  }
  return manifest.madeAt;
}

/** What an attempt before has laid, as paths in the backup. @throws BackupRefusedError where settlements lie there that are not in the backup. */
async function findLaid(spoolFolder: string, { files }: BackupManifest): Promise<ReadonlySet<string>> {
  const laid = new Set<string>();
  for (const path of await listSettlementFiles(spoolFolder)) {
    const inBackup = `${spoolName}/${path}`;
    const wanted = files[inBackup];
    if (wanted === undefined || (await describeFile(join(spoolFolder, path))).sha256 !== wanted.sha256) {
      throw new BackupRefusedError(
        `SPOOL_DIR: settlements lie in ${spoolFolder} that are not of this backup (${path}). Name an empty folder: they may be money.`,
      );
    }
    laid.add(inBackup);
  }
  return laid;
}

async function layDown(files: readonly LaidFile[], { file, spoolFolder, report }: RestorePlace, disk: RestoreDisk) {
  const folders = [...new Set(files.map(({ to }) => dirname(to)))];
  for (const folder of [spoolFolder, ...folders]) makeFolder(folder);
  for (const { to } of files) rmSync(to + partialSuffix, { force: true });
  const wanted = files.map(({ to, bytes }) => {
    return { setting: to === file ? 'DATABASE_URL' : 'SPOOL_DIR', folder: dirname(to), bytes };
  });
  await requireRoom(wanted, disk.findRoomBytes);
  await report('Copying …');
  for (const { from, to } of files) {
    const partial = to + partialSuffix;
    await disk.copyFile(from, partial);
    // A backup of the release before may be open to others.
    chmodSync(partial, 0o600);
    giveToOwnerOf(dirname(to), partial);
    await syncFile(partial);
  }
  // Last: from then on a server can start on it.
  const isDatabase = ({ to }: LaidFile) => to === file;
  for (const { to } of files.filter((one) => !isDatabase(one))) renameSync(to + partialSuffix, to);
  for (const folder of folders) await syncFolder(folder);
  for (const { to } of files.filter(isDatabase)) renameSync(to + partialSuffix, to);
  await syncFolder(dirname(file));
}
