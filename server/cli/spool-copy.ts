import { mkdirSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Behind the name of a file that is not whole yet: a restore was cut off, and the backup has it. */
export const partialSuffix = '.partial';

/** Given its name when it is whole, and never changed from then on. */
const isLasting = (path: string) => /^quarantine\/[^/]+\.json$/.test(path);

/**
 * A copy of the settlements in a spool as they are at one moment. In that moment little is read and nothing is written: what never
 * changes is copied before, and the rest is kept in memory, at most 256 MB for each server, until it is written down afterwards.
 */
export class SpoolCopy {
  readonly #copied = new Set<string>();
  readonly #gone: string[] = [];
  readonly #taken = new Map<string, Buffer>();

  constructor(
    private readonly from: string,
    private readonly to: string,
  ) {}

  /** Copies what never changes, and reads the rest once, so that the system has it in memory when it is read again. */
  async prepare(): Promise<void> {
    mkdirSync(this.to, { mode: 0o700 });
    for (const path of await listSettlementFiles(this.from)) {
      if (isLasting(path)) await this.#copy(path);
      else await this.#read(path);
    }
  }

  /** This is the moment. */
  async take(): Promise<void> {
    const paths = new Set(await listSettlementFiles(this.from));
    this.#gone.push(...[...this.#copied].filter((path) => !paths.has(path)));
    for (const path of paths) {
      const bytes = this.#copied.has(path) ? null : await this.#read(path);
      if (bytes !== null) this.#taken.set(path, bytes);
    }
  }

  async writeDown(): Promise<void> {
    for (const path of this.#gone) await rm(join(this.to, path));
    for (const [path, bytes] of this.#taken) {
      await this.#makeFolderOf(path);
      await writeFile(join(this.to, path), bytes, { mode: 0o600 });
    }
  }

  async #copy(path: string): Promise<void> {
    await this.#makeFolderOf(path);
    try {
      await copyFile(join(this.from, path), join(this.to, path));
      this.#copied.add(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  // null: its server has ended, and all of it was booked before.
  async #read(path: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.from, path));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #makeFolderOf(path: string): Promise<void> {
    await mkdir(dirname(join(this.to, path)), { recursive: true, mode: 0o700 });
  }
}

/**
 * Settlements that wait or were refused, and damaged files, as paths seen from the folder; none where there is no folder. Locks belong to
 * living processes, and what is not whole yet to a restore.
 */
export async function listSettlementFiles(spoolFolder: string): Promise<string[]> {
  const files = await listFiles(spoolFolder);
  const isOther = (path: string) => /\.lock(-\w+)?$/.test(path) || path.endsWith(partialSuffix);
  return files.filter((path) => !isOther(path) && !basename(path).startsWith('.'));
}

/** How large a copy of them is now. */
export async function countSettlementBytes(spoolFolder: string): Promise<number> {
  let bytes = 0;
  for (const path of await listSettlementFiles(spoolFolder)) {
    try {
      bytes += (await stat(join(spoolFolder, path))).size;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return bytes;
}

/** All files of a folder, as paths seen from it; none where there is no folder. */
export async function listFiles(folder: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const lists = entries.map(async (entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(folder, path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(lists)).flat();
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT';
}
