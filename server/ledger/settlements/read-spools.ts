import { copyFile, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeSlot, type KeptRecord, parseSpool, slotBytes } from './spool-records.js';

const slotsName = /^settlements-[0-9A-Za-z_]+\.slots$/;
/** As the former version wrote them: a line for each settlement, and the number of the process in the name. */
const linesName = /^settlements-\d+-[0-9A-Za-z_]+\.spool$/;
/** What the name of a file tells of its database, as `nameSpool` writes it; whoever copies the file may add words behind it. */
const databaseInName = /_of_(inst_[0-9A-Z]{26})(?:_[0-9A-Za-z_]*)?\.slots$/;
const slotsPerRead = 256;

export interface SpoolFile {
  readonly path: string;
  readonly isLines: boolean;
  /** Whose settlements stand in it; null: it was written by a release that did not say so. */
  readonly databaseId: string | null;
}

export interface SpoolContent {
  readonly records: readonly KeptRecord[];
  readonly isDamaged: boolean;
}

/** The spools of a folder, whoever they belong to. None where there is no folder. */
export async function listSpoolFiles(folder: string): Promise<SpoolFile[]> {
  const names = await namesIn(folder);
  return names
    .filter((name) => slotsName.test(name) || linesName.test(name))
    .map((name) => {
      const databaseId = databaseInName.exec(name)?.[1] ?? null;
      return { path: join(folder, name), isLines: linesName.test(name), databaseId };
    });
}

/** Whether a file has settlements of another database than this one, which would not know their calls, or charge a copy of them. */
export function isOfAnother(file: SpoolFile, databaseId: string | null): boolean {
  return file.databaseId !== null && file.databaseId !== databaseId;
}

/** The name of a new file. The release before takes it for one of its own. @param databaseId null: anybody may take it over. */
export function nameSpool(owner: string, databaseId: string | null): string {
  return `settlements-${owner}${databaseId === null ? '' : `_of_${databaseId}`}.slots`;
}

/** What was found damaged and was set aside for a person to look at. */
export async function listDamagedFiles(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => /\.(spool|slots)\.quarantined$/.test(name));
}

/**
 * Reads what stands in a spool. Empty when the file is gone.
 * @param isOwned It belongs to nobody else: what is damaged is copied aside, and the rest stays where it is until it is booked.
 */
export async function readSpool(
  { path, isLines }: Pick<SpoolFile, 'path' | 'isLines'>,
  isOwned = false,
): Promise<SpoolContent> {
  try {
    return isLines ? await readLines(path, isOwned) : await readSlots(path, isOwned);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { records: [], isDamaged: false };
    throw error;
  }
}

/** Whether the process that a spool of the former version is named after seems to live. */
export function isNamedProcessAlive(path: string): boolean {
  const pid = Number(basename(path).split('-')[1]);
  // A container gives its server the same number at every start, and this process writes no such file.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function readLines(path: string, isOwned: boolean): Promise<SpoolContent> {
  const { settlements, goodBytes, isDamaged } = parseSpool(await readFile(path, 'utf8'));
  // What looks torn may be a line that a living process is just writing.
  if (isDamaged && isOwned) {
    await copyFile(path, `${path}.quarantined`);
    await truncate(path, goodBytes);
  }
  // The former version did not write down when each was kept; never later than this.
  const { mtimeMs } = await stat(path);
  const records = settlements.map((input) => ({ keptAtMs: Math.round(mtimeMs), input }));
  return { records, isDamaged: isDamaged && isOwned };
}

async function readSlots(path: string, isOwned: boolean): Promise<SpoolContent> {
  const handle = await open(path, 'r');
  const records: KeptRecord[] = [];
  const damaged: Buffer[] = [];
  try {
    const bytes = Buffer.alloc(slotsPerRead * slotBytes);
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, position);
      for (let at = 0; at < bytesRead; at += slotBytes) {
        const slot = bytes.subarray(at, Math.min(at + slotBytes, bytesRead));
        const record = decodeSlot(slot);
        if (record === 'damaged') damaged.push(Buffer.from(slot));
        else if (record !== null) records.push(record);
      }
      position += bytesRead;
      if (bytesRead === 0) break;
    }
  } finally {
    await handle.close();
  }
  if (damaged.length > 0 && isOwned) await writeFile(`${path}.quarantined`, Buffer.concat(damaged));
  return { records, isDamaged: damaged.length > 0 && isOwned };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
