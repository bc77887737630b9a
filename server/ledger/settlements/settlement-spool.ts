import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.js';
import { makeFolder } from '../../kernel/folders.js';
import type { Logger } from '../../kernel/logger.js';
import type { SettleInput } from '../ledger-types.js';
import { OrphanSpools } from './orphan-spools.js';
import { nameSpool } from './read-spools.js';
import { localDisk, type SpoolDisk, UnsyncedRecordError } from './slot-file.js';
import { encodeSlot, fitSettlement, slotBytes } from './spool-records.js';
import { type RoomState, SpoolRoom } from './spool-room.js';

/** Settlements and reservations of this process; 256 MB on disk. */
const slotsMax = (256 * 1024 * 1024) / slotBytes;
const lookEveryMs = 5_000;
const orphansEveryLooks = 6;
const writeAttemptsMax = 2;

/** A settlement on this machine's disk that is not booked yet. */
export interface KeptSettlement {
  readonly input: SettleInput;
  readonly keptAtMs: number;
}

type Place = { readonly slot: number } | { readonly orphan: string };

export interface SpoolOptions {
  readonly disk?: SpoolDisk;
  /** How many settlements there is room for at most, running calls among them. */
  readonly settlementsMax?: number;
  /** Of the database in which they are booked: files of another one are left alone. null or left out: so are all that name one. */
  readonly databaseId?: string | null;
}

/**
 * Settlements that the database could not take, kept in a file of this machine until it can. Each call reserves the room of its
 * settlement before it begins, in a file whose blocks the disk has given away already, so that a disk that fills up later loses
 * nothing; a record has a bounded size, a checksum, and is on disk before `keep` answers. Replaying one twice is harmless,
 * since the ledger knows each call.
 *
 * Processes share the folder: each holds a lock beside its own file, and takes over the files of its database whose lock nobody holds.
 */
export class SettlementSpool {
  readonly #room: SpoolRoom;
  readonly #orphans: OrphanSpools;
  /** By call. In the order in which they are to be tried. */
  readonly #kept = new Map<string, KeptSettlement & { readonly place: Place }>();
  readonly #reserved = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;
  #foundCount = 0;
  #looking: Promise<void>;

  /** Makes the folder. @throws when that cannot be done. */
  constructor(
    readonly folder: string,
    instance: string,
    private readonly logger: Logger,
    { disk = localDisk, settlementsMax = slotsMax, databaseId = null }: SpoolOptions = {},
  ) {
    makeFolder(folder);
    const ownFile = join(folder, nameSpool(`${instance}_${randomBytes(6).toString('hex')}`, databaseId));
    this.#room = new SpoolRoom({ folder, file: ownFile, disk, logger, slotsMax: settlementsMax });
    this.#orphans = new OrphanSpools({ folder, ownFile, databaseId, logger });
    this.#looking = this.#adoptOrphans(true);
  }

  /** Resolves when what other processes left behind when this one started has been read. */
  get ready(): Promise<void> {
    return this.#looking;
  }

  has(callId: string): boolean {
    return this.#kept.has(callId);
  }

  /** How many were taken over from others. */
  get foundCount(): number {
    return this.#foundCount;
  }

  get keptCount(): number {
    return this.#kept.size;
  }

  /** The instant at which the oldest was kept; null: there is none. */
  get oldestKeptAtMs(): number | null {
    let oldestMs: number | null = null;
    for (const { keptAtMs } of this.#kept.values()) oldestMs = Math.min(oldestMs ?? keptAtMs, keptAtMs);
    return oldestMs;
  }

  /** In the order in which they are to be tried. */
  listKept(): IterableIterator<KeptSettlement> {
    return this.#kept.values();
  }

  /** Whether another call can be let in. */
  get room(): RoomState {
    return this.#room.stateWith(this.#reserved.size);
  }

  /** Makes room ahead of the first call, and looks after it from now on. Never rejects: `room` tells what came of it. */
  async start(): Promise<void> {
    await this.#room.extend(this.#reserved.size).catch(() => {});
    this.#timer ??= setInterval(() => void this.lookNow(), lookEveryMs);
    this.#timer.unref();
  }

  /** Asks the disk how it is, makes room that is missing, and now and then takes over what others left. Never rejects. */
  lookNow(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#lookAround());
    return this.#looking;
  }

  /** Reserves the room of one call's settlement if there is some at once. Asked again for the same call, it does nothing. */
  tryReserve(callId: string): boolean {
    if (!this.#reserved.has(callId)) {
      if (!this.#room.hasFree(this.#reserved.size)) return false;
      this.#reserved.add(callId);
    }
    this.#room.extendAhead(this.#reserved.size);
    return true;
  }

  /**
   * Reserves the room of one call's settlement, and makes it first if need be.
   * @throws AppError `service_unavailable` when there is none.
   */
  async reserve(callId: string): Promise<void> {
    while (!this.tryReserve(callId)) await this.#room.extend(this.#reserved.size);
  }

  /** Gives the room of a call back that needs it no more. */
  release(callId: string): void {
    this.#reserved.delete(callId);
  }

  /**
   * Writes one settlement down, durably, into the room that was reserved for it, or into what nobody has reserved.
   * @returns false when this call's is kept already.
   * @throws the disk's error when it cannot; UnsyncedRecordError when it may be found there after a crash all the same.
   */
  async keep(input: SettleInput): Promise<boolean> {
    const { callId } = input;
    if (this.#kept.has(callId)) return false;
    const fitted = fitSettlement(input);
    if (fitted !== input) this.logger.warn('settlement_record_shortened', { callId });
    if (!this.#reserved.has(callId)) await this.reserve(callId);
    const keptAtMs = systemClock.nowMs();
    const bytes = encodeSlot({ keptAtMs, input: fitted });
    let unsynced: UnsyncedRecordError | null = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const slot = await this.#room.write(bytes);
        this.release(callId);
        const isFirst = !this.#kept.has(callId);
        if (isFirst) this.#kept.set(callId, { input: fitted, keptAtMs, place: { slot } });
        else this.#room.clear(slot);
        return isFirst;
      } catch (error) {
        if (error instanceof UnsyncedRecordError) unsynced = error;
        if (attempt >= writeAttemptsMax) throw unsynced ?? error;
      }
    }
  }

  /** Puts one behind all others, to be tried after them. */
  moveToEnd(callId: string): void {
    const kept = this.#kept.get(callId);
    if (!kept) return;
    this.#kept.delete(callId);
    this.#kept.set(callId, kept);
  }

  /** Tells that this one is booked, or kept elsewhere. */
  forget(callId: string): void {
    const kept = this.#kept.get(callId);
    if (!kept) return;
    this.#kept.delete(callId);
    if ('slot' in kept.place) this.#room.clear(kept.place.slot);
    else this.#orphans.noteDone(kept.place.orphan);
  }

  /** Lets go of the files. What is kept stays there for the next process. */
  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#looking;
    const isEmpty = ![...this.#kept.values()].some(({ place }) => 'slot' in place);
    await this.#room.close(isEmpty);
    this.#orphans.close();
  }

  async #lookAround(): Promise<void> {
    this.#looks += 1;
    await this.#room.look(this.#reserved.size);
    if (this.#looks % orphansEveryLooks === 0) await this.#adoptOrphans(false);
  }

  async #adoptOrphans(isStart: boolean): Promise<void> {
    try {
      for (const { records, path } of await this.#orphans.adopt(isStart)) {
        for (const { input, keptAtMs } of records) {
          // Two files can tell of one call when its first process died while it moved.
          if (this.#kept.has(input.callId)) {
            this.#orphans.noteDone(path);
            continue;
          }
          this.#kept.set(input.callId, { input, keptAtMs, place: { orphan: path } });
          this.#foundCount += 1;
        }
      }
    } catch (error) {
      this.logger.error('spool_not_read', { folder: this.folder, error });
    }
  }
}
