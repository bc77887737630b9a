import { existsSync, rmSync } from 'node:fs';
import { type ProcessLock, tryLock } from '../../database/process-lock.js';
import type { Logger } from '../../kernel/logger.js';
import { isNamedProcessAlive, isOfAnother, listSpoolFiles, readSpool, type SpoolFile } from './read-spools.js';
import { nameLock, SpoolPlace } from './spool-place.js';
import type { KeptRecord } from './spool-records.js';

/**
 * How long a file without a lock is left to its owner, in milliseconds. One that lives looks each second, and goes on in other files
 * when its lock is gone.
 */
export const usualUnlockedGraceMs = 5_000;

interface Orphan {
  /** Settlements in it that are not booked yet. */
  left: number;
  /** null: a file of the former version, which knows no lock. */
  readonly lock: ProcessLock | null;
  /** null: as above. */
  place: SpoolPlace | null;
  /** Whether it may be removed when all of it is booked. */
  readonly isOurs: boolean;
}

/** What was read of one file. */
export interface AdoptedSpool {
  readonly path: string;
  readonly records: readonly KeptRecord[];
}

export interface OrphanSpoolsParts {
  readonly folder: string;
  readonly isOwn: (path: string) => boolean;
  /** Of the database in which settlements are booked; null: it is not known, so that only files without an id are taken over. */
  readonly databaseId: string | null;
  /** How long a file without a lock is left to its owner, in milliseconds; the usual time when undefined. */
  readonly unlockedGraceMs: number | undefined;
  readonly logger: Logger;
}

/** The spools that processes of this machine left behind when they died: read, and removed once all of them is booked. */
export class OrphanSpools {
  readonly #files = new Map<string, Orphan>();

  /** When each file that has no lock was seen so first, on the process's own clock. */
  #unlockedSinceMs: ReadonlyMap<string, number> = new Map();

  /** Files of other databases that were told of. */
  readonly #told = new Set<string>();

  constructor(private readonly parts: OrphanSpoolsParts) {}

  /**
   * Takes over what nobody owns and reads it. What belongs to another database is left where it is, and told once: this one does not know
   * its calls, or is a copy that must not charge them. A file of the former version whose process seems to live is read at the start as
   * well, but left alone: after a restart of the machine, anybody may have that number. A file without a lock is left for `unlockedGraceMs`.
   * @throws the disk's error when the folder cannot be listed.
   */
  async adopt(isStart: boolean): Promise<AdoptedSpool[]> {
    const adopted: AdoptedSpool[] = [];
    const files = (await listSpoolFiles(this.parts.folder)).filter(
      ({ path }) => !this.parts.isOwn(path) && !this.#files.has(path),
    );
    this.#unlockedSinceMs = this.#findUnlocked(files);
    for (const file of files) {
      if (this.#unlockedSinceMs.has(file.path)) continue;
      if (isOfAnother(file, this.parts.databaseId)) {
        await this.#tellOfAnother(file);
        continue;
      }
      try {
        const records = await this.#takeOver(file, isStart);
        if (records.length > 0) adopted.push({ path: file.path, records });
      } catch (error) {
        // What is wrong with one file must not keep us from the others.
        this.parts.logger.error('spool_not_read', { file: file.path, error });
      }
    }
    return adopted;
  }

  /** Whether a file waits for its owner to see that its lock is gone, and is to be looked at again. */
  get hasUnlocked(): boolean {
    return this.#unlockedSinceMs.size > 0;
  }

  /** The files that were taken over and are not in their places any more: what is not booked of them is known to nobody but us. */
  async listLost(): Promise<string[]> {
    const lost: string[] = [];
    for (const [path, orphan] of [...this.#files]) {
      // One that cannot be asked for right now is not lost, nor one of which the last was booked meanwhile.
      const isIntact = await orphan.place?.isIntact().catch(() => true);
      if (isIntact === false && this.#files.get(path) === orphan) lost.push(path);
    }
    return lost;
  }

  /** Tells that what is not booked of a lost file stands elsewhere. */
  async leave(path: string): Promise<void> {
    const orphan = this.#files.get(path);
    this.#files.delete(path);
    await orphan?.place?.removeFile().catch(() => {});
    orphan?.lock?.release('remove');
  }

  /** Tells that one settlement of this file is booked. */
  noteDone(path: string): void {
    const orphan = this.#files.get(path);
    if (!orphan) return;
    orphan.left -= 1;
    if (orphan.left === 0) this.#remove(path, orphan);
  }

  /** Leaves what is not booked to the next process. */
  close(): void {
    for (const { lock } of this.#files.values()) lock?.release('keep');
    this.#files.clear();
  }

  // While its server lives, that one books it.
  async #tellOfAnother(file: SpoolFile): Promise<void> {
    const { path, databaseId } = file;
    if (this.#told.has(path)) return;
    try {
      const lock = tryLock(nameLock(path));
      if (lock === null) return;
      lock.release('keep');
      const { records } = await readSpool(file);
      if (records.length === 0) return;
      this.#told.add(path);
      this.parts.logger.warn('spool_of_another_database', { file: path, databaseId, settlements: records.length });
    } catch (error) {
      // It may belong to another user as well, and must not keep us from our own.
      this.#told.add(path);
      this.parts.logger.warn('spool_of_another_database', { file: path, databaseId, error });
    }
  }

  async #takeOver(file: SpoolFile, isStart: boolean): Promise<readonly KeptRecord[]> {
    const { path } = file;
    const orphan = this.#claim(file, isStart);
    if (orphan === null) return [];
    try {
      if (orphan.lock !== null) orphan.place = await SpoolPlace.of(path);
      const { records, isDamaged } = await readSpool(file, orphan.isOurs);
      if (isDamaged) this.parts.logger.error('spool_damaged', { file: `${path}.quarantined`, saved: records.length });
      orphan.left = records.length;
      this.#files.set(path, orphan);
      if (records.length > 0) this.parts.logger.warn('spool_found', { settlements: records.length });
      else this.#remove(path, orphan);
      return records;
    } catch (error) {
      this.#files.delete(path);
      orphan.lock?.release('keep');
      throw error;
    }
  }

  #claim({ path, isLines }: SpoolFile, isStart: boolean): Orphan | null {
    if (isLines) {
      const isOurs = !isNamedProcessAlive(path);
      return isOurs || isStart ? { left: 0, lock: null, place: null, isOurs } : null;
    }
    const lock = tryLock(nameLock(path));
    return lock === null ? null : { left: 0, lock, place: null, isOurs: true };
  }

  // To ask for a lock that is not there would make it, and have it.
  #findUnlocked(files: readonly SpoolFile[]): Map<string, number> {
    const nowMs = performance.now();
    const leftMs = this.parts.unlockedGraceMs ?? usualUnlockedGraceMs;
    const unlocked = files.filter(({ path, isLines }) => !isLines && !existsSync(nameLock(path)));
    const sinceMs = unlocked.map(({ path }) => [path, this.#unlockedSinceMs.get(path) ?? nowMs] as const);
    return new Map(sinceMs.filter(([, firstMs]) => nowMs - firstMs < leftMs));
  }

  #remove(path: string, { lock, isOurs }: Orphan): void {
    if (!isOurs) return;
    rmSync(path, { force: true });
    lock?.release('remove');
    this.#files.delete(path);
  }
}
