import { rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FileFate } from '../../database/process-lock.js';
import { MovedSpoolError, SpoolPlace } from './spool-place.js';
import { slotBytes } from './spool-records.js';

/** What the spool asks of a disk; tests put faults in between. */
export interface SpoolDisk {
  open(file: string, flags: string, mode?: number): Promise<DiskFile>;
}

export type DiskFile = Pick<FileHandle, 'write' | 'datasync' | 'sync' | 'truncate' | 'close'>;

export const localDisk: SpoolDisk = { open };

interface Waiting {
  readonly slot: number;
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A record was written, and its sync failed, or the file was moved meanwhile: after a crash it may stand there all the same. Has the code
 * of its cause.
 */
export class UnsyncedRecordError extends Error {
  override readonly name = 'UnsyncedRecordError';
  readonly code: unknown;

  constructor(cause: unknown) {
    super('A record may be on the disk or not.', { cause });
    this.code = (cause as { code?: unknown } | null)?.code;
  }
}

/**
 * A file of slots that were written once, with zeros, so that the disk has given their blocks away before anybody relies on them:
 * a record is written in its place, needs no new room, and is on disk when `write` resolves. Records that come together share
 * one sync. The first slot is for `probe`. Once its file is found not to be in its place any more, it takes nothing more.
 */
export class SlotFile {
  readonly #free: number[] = [];
  #slots = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  readonly #clearing = new Set<Promise<unknown>>();
  #probes = 0;
  #isLost = false;

  private constructor(
    private readonly handle: DiskFile,
    private readonly place: SpoolPlace,
  ) {}

  /** Makes the file beside its lock, with no slot for records yet. @throws the disk's error, and then there is no file. */
  static async create(disk: SpoolDisk, file: string): Promise<SlotFile> {
    const handle = await disk.open(file, 'wx+', 0o600);
    try {
      const slots = new SlotFile(handle, await SpoolPlace.of(file));
      await slots.grow(1);
      slots.#free.length = 0;
      return slots;
    } catch (error) {
      await handle.close();
      rmSync(file, { force: true });
      throw error;
    }
  }

  get freeCount(): number {
    return this.#free.length;
  }

  /** With the one of the probe. */
  get slotCount(): number {
    return this.#slots;
  }

  /** Whether it was found not to be in its place any more; it stays so. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Looks whether it is in its place, and as long as it was made. @throws the disk's error when it cannot be asked. */
  async isInPlace(): Promise<boolean> {
    this.#isLost ||= !(await this.place.isIntact(this.#slots * slotBytes));
    return !this.#isLost;
  }

  /** Adds slots whose blocks are on disk. @throws the disk's error, or MovedSpoolError; then it is as large as before. */
  async grow(count: number): Promise<void> {
    await this.#assertInPlace();
    const from = this.#slots;
    try {
      await this.#writeAt(Buffer.alloc(count * slotBytes), from * slotBytes);
      await this.handle.datasync();
    } catch (error) {
      // What is left of it is given back, for others may need it more.
      await this.handle.truncate(from * slotBytes).catch(() => {});
      throw error;
    }
    this.#slots += count;
    for (let slot = from; slot < this.#slots; slot += 1) this.#free.push(slot);
  }

  /** @returns a slot that nobody else has; null: there is none. */
  take(): number | null {
    return this.#free.pop() ?? null;
  }

  /**
   * Writes a record into a slot, durably and under its name. @throws the disk's error, or MovedSpoolError, and then no reader takes what
   * stands there for a record; UnsyncedRecordError when one may.
   */
  write(slot: number, bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ slot, bytes, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
  }

  /**
   * Gives a slot back once it is empty. A crash before that shows a record that was booked already, which does no harm; so nobody
   * waits for the disk.
   */
  clear(slot: number): void {
    // In a file that was cut short, this would make up for the length, and hide that others are gone.
    const cleared = this.#assertInPlace()
      .then(() => this.#writeAt(Buffer.alloc(16), slot * slotBytes))
      .catch(() => {})
      .then(() => {
        this.#free.push(slot);
        this.#clearing.delete(cleared);
      });
    this.#clearing.add(cleared);
  }

  /** Whether the disk takes writes right now. @throws its error when it does not. */
  async probe(): Promise<void> {
    this.#probes += 1;
    const bytes = Buffer.alloc(slotBytes);
    // Its first byte is 0, which makes it an empty slot to whoever reads the file.
    bytes.writeUInt32LE(this.#probes, 4);
    await this.write(0, bytes);
  }

  async close(fate: FileFate): Promise<void> {
    await this.#writing;
    await Promise.all(this.#clearing);
    await this.handle.close();
    if (fate === 'remove') await this.place.removeFile();
  }

  async #assertInPlace(): Promise<void> {
    if (!(await this.isInPlace())) throw new MovedSpoolError();
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#assertInPlace();
        await this.#writeGroup(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = null;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    const written: Waiting[] = [];
    for (const waiting of group) {
      try {
        await this.#writeAt(waiting.bytes, waiting.slot * slotBytes);
        written.push(waiting);
      } catch (error) {
        waiting.reject(error);
      }
    }
    if (written.length === 0) return;
    try {
      await this.handle.datasync();
      await this.#assertInPlace();
      for (const { resolve } of written) resolve();
    } catch (error) {
      for (const { reject } of written) reject(new UnsyncedRecordError(error));
    }
  }

  // A disk that fills up takes a part, and says so only to whoever comes with the rest.
  async #writeAt(bytes: Buffer, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, position + done);
      if (bytesWritten === 0) throw Object.assign(new Error('The disk takes nothing more.'), { code: 'ENOSPC' });
      done += bytesWritten;
    }
  }
}
