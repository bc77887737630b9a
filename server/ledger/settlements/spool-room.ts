import { rmSync } from 'node:fs';
import { type ProcessLock, tryLock } from '../../database/process-lock.js';
import { AppError } from '../../kernel/app-error.js';
import { giveToOwnerOf } from '../../kernel/folders.js';
import type { Logger } from '../../kernel/logger.js';
import { SlotFile, type SpoolDisk, syncFolder } from './slot-file.js';

/** Whether the settlement of another call has its room. */
export interface RoomState {
  readonly isReady: boolean;
  /** The disk's own word, such as ENOSPC, or `full`; null where nothing is wrong. */
  readonly reason: string | null;
}

/** Four megabytes. */
const slotsPerStep = 1_024;
const freeWanted = 512;
const retryMs = 1_000;

export interface SpoolRoomParts {
  readonly folder: string;
  readonly file: string;
  readonly disk: SpoolDisk;
  readonly logger: Logger;
  readonly slotsMax: number;
}

/** The room in which this process can keep settlements: its own file, with its lock, made when it is first needed. */
export class SpoolRoom {
  #slots: SlotFile | null = null;
  #lock: ProcessLock | null = null;
  #extending: Promise<void> | null = null;
  /** A write or a probe failed: until one succeeds, nobody relies on this disk. */
  #writeFault: string | null = null;
  #extendFault: { readonly reason: string; readonly triedAtMs: number } | null = null;
  #isToldMissing = false;

  constructor(private readonly parts: SpoolRoomParts) {}

  hasFree(reservedCount: number): boolean {
    return this.#writeFault === null && this.#slots !== null && this.#slots.freeCount > reservedCount;
  }

  stateWith(reservedCount: number): RoomState {
    const isReady = this.hasFree(reservedCount);
    return { isReady, reason: this.#writeFault ?? (isReady ? null : (this.#extendFault?.reason ?? null)) };
  }

  /**
   * Makes room for more; whoever comes first gets it.
   * @throws AppError `service_unavailable` when the disk does not give it, or the most that is wanted is reached.
   */
  async extend(reservedCount: number): Promise<void> {
    const triedAgoMs = performance.now() - (this.#extendFault?.triedAtMs ?? Number.NEGATIVE_INFINITY);
    if (this.#writeFault === null && triedAgoMs >= retryMs) {
      this.#extending ??= this.#extendNow().finally(() => {
        this.#extending = null;
      });
      await this.#extending;
    }
    this.#tellState(reservedCount);
    // Without a fault there was room, which others may have taken meanwhile.
    const isFaulty = this.#writeFault !== null || this.#extendFault !== null;
    if (isFaulty && !this.hasFree(reservedCount)) throw this.#missing();
  }

  /** Starts to make room before the last is taken, so that nobody waits for it. */
  extendAhead(reservedCount: number): void {
    if (this.#slots === null || this.#slots.freeCount - reservedCount >= freeWanted) return;
    if (this.#extending === null) void this.extend(reservedCount).catch(() => {});
  }

  /** Writes a record durably. @returns its slot. @throws as `SlotFile.write`. */
  async write(bytes: Buffer): Promise<number> {
    const slots = this.#slots;
    const slot = slots?.take() ?? null;
    if (slots === null || slot === null) throw this.#missing();
    try {
      await slots.write(slot, bytes);
      this.#writeFault = null;
      return slot;
    } catch (error) {
      this.#writeFault = toReason(error);
      slots.clear(slot);
      throw error;
    }
  }

  clear(slot: number): void {
    this.#slots?.clear(slot);
  }

  /** Asks the disk whether it still takes writes, and makes the room that was missing. Never rejects. */
  async look(reservedCount: number): Promise<void> {
    try {
      await this.#slots?.probe();
      this.#writeFault = null;
    } catch (error) {
      this.#writeFault = toReason(error);
    }
    if (this.hasFree(reservedCount + freeWanted)) this.#tellState(reservedCount);
    else await this.extend(reservedCount).catch(() => {});
  }

  /** @param isOver Nothing stands in the file, so it goes. */
  async close(isOver: boolean): Promise<void> {
    await this.#extending?.catch(() => {});
    await this.#slots?.close();
    if (isOver && this.#slots) rmSync(this.parts.file, { force: true });
    this.#lock?.release(isOver);
    this.#slots = null;
    this.#lock = null;
  }

  async #extendNow(): Promise<void> {
    const { disk, file, folder, slotsMax } = this.parts;
    try {
      // Before the file: what has a file and no lock would be taken for left behind.
      this.#lock ??= tryLock(`${file}.lock`);
      if (this.#slots === null) {
        this.#slots = await SlotFile.create(disk, file);
        giveToOwnerOf(folder, file);
        await syncFolder(disk, folder);
      }
      const more = Math.min(slotsPerStep, slotsMax + 1 - this.#slots.slotCount);
      if (more <= 0) throw Object.assign(new Error('As many settlements wait as may.'), { code: 'full' });
      await this.#slots.grow(more);
      this.#extendFault = null;
    } catch (error) {
      this.#extendFault = { reason: toReason(error), triedAtMs: performance.now() };
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
