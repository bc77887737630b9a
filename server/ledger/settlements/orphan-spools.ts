import { rmSync } from 'node:fs';
import { type ProcessLock, tryLock } from '../../database/process-lock.js';
import type { Logger } from '../../kernel/logger.js';
import { isNamedProcessAlive, listSpoolFiles, readSpool, type SpoolFile } from './read-spools.js';
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

/** The spools that processes of this machine left behind when they died: read, and removed once all of them is booked. */
export class OrphanSpools {
  readonly #files = new Map<string, Orphan>();

  constructor(
    private readonly folder: string,
    private readonly ownFile: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Takes over what nobody owns and reads it. A file of the former version whose process seems to live is read at the start as
   * well, but left alone: after a restart of the machine, anybody may have that number.
   */
  async adopt(isStart: boolean): Promise<AdoptedSpool[]> {
    const adopted: AdoptedSpool[] = [];
    for (const file of await listSpoolFiles(this.folder)) {
      if (file.path === this.ownFile || this.#files.has(file.path)) continue;
      const orphan = this.#claim(file, isStart);
      if (orphan === null) continue;
      const { records, isDamaged } = await readSpool(file, orphan.isOurs);
      if (isDamaged) this.logger.error('spool_damaged', { file: `${file.path}.quarantined`, saved: records.length });
      orphan.left = records.length;
      this.#files.set(file.path, orphan);
      if (records.length > 0) {
        this.logger.warn('spool_found', { settlements: records.length });
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
