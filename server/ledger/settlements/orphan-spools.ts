import { rmSync } from 'node:fs';
import { type ProcessLock, tryLock } from '../../database/process-lock.js';
import type { Logger } from '../../kernel/logger.js';
import { isNamedProcessAlive, isOfAnother, listSpoolFiles, readSpool, type SpoolFile } from './read-spools.js';
import type { KeptRecord } from './spool-records.js';

interface Orphan {
  /** Settlements in it that are not booked yet. */
  left: number;
  /** null: a file of the former version, which knows no lock. */
  readonly lock: ProcessLock | null;
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
  readonly ownFile: string;
  /** Of the database in which settlements are booked; null: it is not known, so that only files without an id are taken over. */
  readonly databaseId: string | null;
  readonly logger: Logger;
}

/** The spools that processes of this machine left behind when they died: read, and removed once all of them is booked. */
export class OrphanSpools {
  readonly #files = new Map<string, Orphan>();

  /** Files of other databases that were told of. */
  readonly #told = new Set<string>();

  constructor(private readonly parts: OrphanSpoolsParts) {}

  /**
   * Takes over what nobody owns and reads it. What belongs to another database is left where it is, and told once: this one does not know
   * its calls, or is a copy that must not charge them. A file of the former version whose process seems to live is read at the start as
   * well, but left alone: after a restart of the machine, anybody may have that number.
   */
  async adopt(isStart: boolean): Promise<AdoptedSpool[]> {
    const adopted: AdoptedSpool[] = [];
    for (const file of await listSpoolFiles(this.parts.folder)) {
      if (file.path === this.parts.ownFile || this.#files.has(file.path)) continue;
      if (isOfAnother(file, this.parts.databaseId)) {
        await this.#tellOfAnother(file);
        continue;
      }
      const orphan = this.#claim(file, isStart);
      if (orphan === null) continue;
      const { records, isDamaged } = await readSpool(file, orphan.isOurs);
      if (isDamaged)
        this.parts.logger.error('spool_damaged', { file: `${file.path}.quarantined`, saved: records.length });
      orphan.left = records.length;
      this.#files.set(file.path, orphan);
      if (records.length > 0) {
        this.parts.logger.warn('spool_found', { settlements: records.length });
        adopted.push({ path: file.path, records });
      } else this.#remove(file.path, orphan);
    }
    return adopted;
  }

  /** Tells that one settlement of this file is booked. */
  noteDone(path: string): void {
    const orphan = this.#files.get(path);
    if (!orphan) return;
    orphan.left -= 1;
    if (orphan.left === 0) this.#remove(path, orphan);
  }

  /** Lets go of what is not booked, for the next process. */
  close(): void {
    for (const { lock } of this.#files.values()) lock?.release(false);
    this.#files.clear();
  }

  // While its server lives, that one books it.
  async #tellOfAnother(file: SpoolFile): Promise<void> {
    const { path, databaseId } = file;
    if (this.#told.has(path)) return;
    try {
      const lock = tryLock(`${path}.lock`);
      if (lock === null) return;
      lock.release(false);
      const { records } = await readSpool(file, false);
      if (records.length === 0) return;
      this.#told.add(path);
      this.parts.logger.warn('spool_of_another_database', { file: path, databaseId, settlements: records.length });
    } catch (error) {
      // It may belong to another user as well, and must not keep us from our own.
      this.#told.add(path);
      this.parts.logger.warn('spool_of_another_database', { file: path, databaseId, error });
    }
  }

  #claim({ path, isLines }: SpoolFile, isStart: boolean): Orphan | null {
    if (isLines) {
      const isOurs = !isNamedProcessAlive(path);
      return isOurs || isStart ? { left: 0, lock: null, isOurs } : null;
    }
    const lock = tryLock(`${path}.lock`);
    return lock === null ? null : { left: 0, lock, isOurs: true };
  }

  #remove(path: string, { lock, isOurs }: Orphan): void {
    if (!isOurs) return;
    rmSync(path, { force: true });
    lock?.release(true);
    this.#files.delete(path);
  }
}
