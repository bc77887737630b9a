import { type FileFate, type ProcessLock, tryLock } from '../../database/process-lock.js';
import { AppError } from '../../kernel/app-error.js';
import { giveToOwnerOf, makeFolder, syncFolder } from '../../kernel/folders.js';
import type { Logger } from '../../kernel/logger.js';
import { SlotFile, type SpoolDisk } from './slot-file.js';
import { nameLock } from './spool-place.js';

/** Whether the settlement of another call has its room. */
export interface RoomState {
  readonly isReady: boolean;
  /** The disk's own word, such as ENOSPC, or `full`, or `moved`; null where nothing is wrong. */
  readonly reason: string | null;
}

/** Where a record stands. */
export interface RecordSlot {
  readonly slots: SlotFile;
  readonly slot: number;
}

/** Four megabytes. */
const slotsPerStep = 1_024;
const freeWanted = 512;
const retryMs = 1_000;

export interface SpoolRoomParts {
  readonly folder: string;
  /** A name in the folder that no file has, nor ever had. */
  readonly nameFile: () => string;
  readonly disk: SpoolDisk;
  readonly logger: Logger;
  readonly slotsMax: number;
}

interface OwnFile {
  readonly path: string;
  readonly lock: ProcessLock | null;
  readonly slots: SlotFile;
}

/** The room in which this process can keep settlements: its own file, with its lock, made when it is first needed. */
export class SpoolRoom {
  #own: OwnFile | null = null;
  /** Lost ones, until what stood in them is written anew. */
  #former: OwnFile[] = [];
  #isBehind = false;
  #nextPath: string | null = null;
  #extending: Promise<void> | null = null;
  /** A write or a probe failed: until one succeeds, nobody relies on this disk. */
  #writeFault: string | null = null;
  #extendFault: { readonly reason: string; readonly triedAtMs: number } | null = null;
  #isToldMissing = false;

  constructor(private readonly parts: SpoolRoomParts) {}

  hasFree(reservedCount: number): boolean {
    return this.#writeFault === null && !this.#isBehind && this.#freeCount > reservedCount;
  }

  stateWith(reservedCount: number): RoomState {
    const isReady = this.hasFree(reservedCount);
    if (isReady) return { isReady, reason: null };
    return { isReady, reason: this.#writeFault ?? this.#extendFault?.reason ?? (this.#isBehind ? 'moved' : null) };
  }

  /** Whether this file belongs to this process. */
  owns(path: string): boolean {
    return this.#own?.path === path || this.#former.some((former) => former.path === path);
  }

  /**
   * Makes room for more; whoever comes first gets it.
   * @throws AppError `service_unavailable` when the disk does not give it, or the most that is wanted is reached.
   */
  async extend(reservedCount: number): Promise<void> {
    const triedAgoMs = performance.now() - (this.#extendFault?.triedAtMs ?? Number.NEGATIVE_INFINITY);
    if (this.#writeFault === null && !this.#isBehind && triedAgoMs >= retryMs) await this.#extendOnce();
    this.#tellState(reservedCount);
    // Without a fault there was room, which others may have taken meanwhile.
    const isFaulty = this.#writeFault !== null || this.#isBehind || this.#extendFault !== null;
    if (isFaulty && !this.hasFree(reservedCount)) throw this.#missing();
  }

  /** Starts to make room before the last is taken, so that nobody waits for it. */
  extendAhead(reservedCount: number): void {
    if (this.#own === null || this.#freeCount - reservedCount >= freeWanted) return;
    if (this.#extending === null) void this.extend(reservedCount).catch(() => {});
  }

  /** Writes a record durably. @throws as `SlotFile.write`. */
  async write(bytes: Buffer): Promise<RecordSlot> {
    const slots = this.#own?.slots;
    const slot = slots?.take() ?? null;
    if (slots === undefined || slot === null) throw this.#missing();
    try {
      await slots.write(slot, bytes);
      if (slots === this.#own?.slots) this.#writeFault = null;
      return { slots, slot };
    } catch (error) {
      if (slots === this.#own?.slots) this.#writeFault = toReason(error);
      slots.clear(slot);
      throw error;
    }
  }

  clear({ slots, slot }: RecordSlot): void {
    slots.clear(slot);
  }

  /** Asks the disk whether it still takes writes, and makes the room that was missing. Never rejects. */
  async look(reservedCount: number): Promise<void> {
    try {
      await this.#own?.slots.probe();
      this.#writeFault = null;
    } catch (error) {
      this.#writeFault = toReason(error);
    }
    if (this.hasFree(reservedCount + freeWanted)) this.#tellState(reservedCount);
    else await this.extend(reservedCount).catch(() => {});
  }

  /** Whether the file is where the next process will look for it; true where there is none yet. @throws the disk's error. */
  async isInPlace(): Promise<boolean> {
    return this.#own === null ? true : this.#own.slots.isInPlace();
  }

  /** Whether `catchUp` has begun, and `endCatchUp` was not reached. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Makes room for so many records that have lost their place, in another file where that of this process is lost. No call is let in
   * until `endCatchUp` is told that they are written.
   * @throws AppError `service_unavailable` when the disk does not give it.
   */
  async catchUp(count: number): Promise<void> {
    this.#isBehind = true;
    await this.#extending;
    if (this.#own?.slots.isLost) {
      this.#former.push(this.#own);
      this.#own = null;
      this.#writeFault = null;
    }
    while (this.#own === null || this.#freeCount < count) {
      await this.#extendOnce();
      if (this.#extendFault === null) continue;
      this.#tellState(count);
      throw this.#missing();
    }
  }

  /** What had lost its place is written; the lost files are closed, and removed where they still lie there. */
  async endCatchUp(): Promise<void> {
    this.#isBehind = false;
    for (const { slots, lock } of this.#former.splice(0)) {
      await slots.close('remove').catch(() => {});
      lock?.release('remove');
    }
  }

  /** @param fate `remove` where no settlement stands in the file of this process. */
  async close(fate: FileFate): Promise<void> {
    await this.#extending;
    for (const { slots, lock } of this.#former.splice(0)) {
      await slots.close('keep');
      lock?.release('keep');
    }
    await this.#own?.slots.close(fate);
    this.#own?.lock?.release(fate);
    this.#own = null;
  }

  get #freeCount(): number {
    return this.#own?.slots.freeCount ?? 0;
  }

  #extendOnce(): Promise<void> {
    this.#extending ??= this.#extendNow().finally(() => {
      this.#extending = null;
    });
    return this.#extending;
  }

  async #extendNow(): Promise<void> {
    try {
      this.#own ??= await this.#make();
      const { slots } = this.#own;
      const more = Math.min(slotsPerStep, this.parts.slotsMax + 1 - slots.slotCount);
      if (more <= 0)
        throw Object.assign(new Error('The most settlements that may wait are waiting.'), { code: 'full' });
      await slots.grow(more);
      this.#extendFault = null;
    } catch (error) {
      this.#extendFault = { reason: toReason(error), triedAtMs: performance.now() };
    }
  }

  async #make(): Promise<OwnFile> {
    const { disk, folder, nameFile } = this.parts;
    makeFolder(folder);
    // A disk that lets no lock be had is asked again and again, and may be left with the file of each.
    this.#nextPath ??= nameFile();
    const path = this.#nextPath;
    // Before the file: what has a file and no lock would be taken for left behind.
    const lock = tryLock(nameLock(path));
    this.#nextPath = null;
    let slots: SlotFile | null = null;
    try {
      slots = await SlotFile.create(disk, path);
      giveToOwnerOf(folder, path);
      await syncFolder(folder, disk);
      return { path, lock, slots };
    } catch (error) {
      await slots?.close('remove').catch(() => {});
      lock?.release('remove');
      throw error;
    }
  }

  // One line when it goes and one when it is back, however many calls ask meanwhile.
  #tellState(reservedCount: number): void {
    const { isReady, reason } = this.stateWith(reservedCount);
    if (isReady === !this.#isToldMissing) return;
    this.#isToldMissing = !isReady;
    if (isReady) this.parts.logger.info('spool_room_back');
    else this.parts.logger.error('spool_room_missing', { folder: this.parts.folder, reason });
  }

  #missing(): AppError {
    const message =
      'The server has no room to keep the account of another call right now; nothing was charged. Try again shortly.';
    return new AppError('service_unavailable', message, { retryAfterMs: 5_000 });
  }
}

function toReason(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'unknown';
}
