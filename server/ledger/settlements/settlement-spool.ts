import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.js';
import { makeFolder } from '../../kernel/folders.js';
import type { Logger } from '../../kernel/logger.js';
import type { SettleInput } from '../ledger-types.js';
import { OrphanSpools, usualUnlockedGraceMs } from './orphan-spools.js';
import { nameSpool } from './read-spools.js';
import { localDisk, type SpoolDisk, UnsyncedRecordError } from './slot-file.js';
import { encodeSlot, fitSettlement, slotBytes } from './spool-records.js';
import { type RecordSlot, type RoomState, SpoolRoom } from './spool-room.js';

/** Settlements and reservations of this process; 256 MB on disk. */
const slotsMax = (256 * 1024 * 1024) / slotBytes;
/** How long what waits can lie in files that nobody would find, when they are moved or removed. */
const placeLookEveryMs = 1_000;
const diskEveryPlaceLooks = 5;
const orphansEveryLooks = 6;
const writeAttemptsMax = 2;
const writtenAnewAtOnce = 256;

const movedRemedy =
  'find out what moves or removes files in SPOOL_DIR, and keep it away from there (docs/operations/settlements.md); what waited is written again';

/** A settlement on this machine's disk that is not booked yet. */
export interface KeptSettlement {
  readonly input: SettleInput;
  readonly keptAtMs: number;
}

type Place = RecordSlot | { readonly orphan: string };

/** `place` changes where its file was lost. */
type PlacedSettlement = KeptSettlement & { place: Place };

export interface SpoolOptions {
  readonly disk?: SpoolDisk;
  /** How many settlements there is room for at most, running calls among them. */
  readonly settlementsMax?: number;
  /** Of the database in which they are booked: files of another one are left alone. null or left out: so are all that name one. */
  readonly databaseId?: string | null;
  /** How long a file without a lock is left to its owner, in milliseconds; 0 where nobody else can serve this database. */
  readonly unlockedGraceMs?: number | undefined;
}

/**
 * Settlements that the database could not take, kept in a file of this machine until it can. Each call reserves the room of its
 * settlement before it begins, in a file whose blocks the disk has given away already, so that a disk that fills up later loses
 * nothing; a record has a bounded size, a checksum, and is on disk before `keep` answers. Replaying one twice is harmless,
 * since the ledger knows each call. Files that are moved or removed beneath the process are noticed by the next `keep`, or within a
 * second once it was started, and what waits is written into others: what a kill can lose is what waited in them until then.
 *
 * Processes share the folder: each holds a lock beside its own file, and takes over the files of its database whose lock nobody holds.
 */
export class SettlementSpool {
  readonly #room: SpoolRoom;
  readonly #orphans: OrphanSpools;
  /** By call. In the order in which they are to be tried. */
  readonly #kept = new Map<string, PlacedSettlement>();
  readonly #reserved = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #adoptTimer: NodeJS.Timeout | null = null;
  #writingAnew: Promise<void> | null = null;
  #placeLooks = 0;
  #looks = 0;
  #foundCount = 0;
  #movedFileCount = 0;
  #isClosed = false;
  #looking: Promise<void>;

  /** Makes the folder. @throws when that cannot be done. */
  constructor(
    readonly folder: string,
    instance: string,
    private readonly logger: Logger,
    { disk = localDisk, settlementsMax = slotsMax, databaseId = null, unlockedGraceMs }: SpoolOptions = {},
  ) {
    makeFolder(folder);
    const nameFile = () => join(folder, nameSpool(`${instance}_${randomBytes(6).toString('hex')}`, databaseId));
    const room = new SpoolRoom({ folder, nameFile, disk, logger, slotsMax: settlementsMax });
    this.#room = room;
    this.#orphans = new OrphanSpools({ folder, isOwn: (path) => room.owns(path), databaseId, unlockedGraceMs, logger });
    this.#looking = this.#adoptOrphans({ isStart: true });
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

  /** How often files were found to be moved or removed beneath this process. */
  get movedFileCount(): number {
    return this.#movedFileCount;
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
    this.#timer ??= setInterval(() => void this.#lookAtPlace(), placeLookEveryMs);
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
        const place = await this.#room.write(bytes);
        this.release(callId);
        const isFirst = !this.#kept.has(callId);
        if (isFirst) this.#kept.set(callId, { input: fitted, keptAtMs, place });
        else this.#room.clear(place);
        return isFirst;
      } catch (error) {
        if (error instanceof UnsyncedRecordError) unsynced = error;
        if (attempt >= writeAttemptsMax) throw unsynced ?? error;
        await this.#writeAnewWhatIsLost();
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
    if ('slot' in kept.place) this.#room.clear(kept.place);
    else this.#orphans.noteDone(kept.place.orphan);
  }

  /** Closes the files. What is kept stays there for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearInterval(this.#timer);
    if (this.#adoptTimer) clearTimeout(this.#adoptTimer);
    await this.#looking;
    if (this.#kept.size > 0) await this.#writeAnewWhatIsLost();
    const isEmpty = ![...this.#kept.values()].some(({ place }) => 'slot' in place);
    await this.#room.close(isEmpty ? 'remove' : 'keep');
    this.#orphans.close();
  }

  async #lookAtPlace(): Promise<void> {
    this.#placeLooks += 1;
    if (this.#placeLooks % diskEveryPlaceLooks === 0) await this.lookNow();
    else await this.#writeAnewWhatIsLost();
  }

  /** Finds files that are not in their places any more, and writes what stood in them into another. Never rejects. */
  #writeAnewWhatIsLost(): Promise<void> {
    // A disk that does not take it is told of by the room, and asked again with the next look.
    this.#writingAnew ??= this.#writeAnew()
      .catch(() => {})
      .finally(() => {
        this.#writingAnew = null;
      });
    return this.#writingAnew;
  }

  async #writeAnew(): Promise<void> {
    const lostFiles = await this.#orphans.listLost();
    const isOwnLost = !(await this.#room.isInPlace());
    if (!isOwnLost && lostFiles.length === 0 && !this.#room.isBehind) return;
    const lost = [...this.#kept.values()].filter(({ place }) =>
      'slot' in place ? place.slots.isLost : lostFiles.includes(place.orphan),
    );
    if (!this.#room.isBehind) {
      this.#movedFileCount += 1;
      this.logger.error('spool_file_moved', { folder: this.folder, settlements: lost.length, remedy: movedRemedy });
    }
    await this.#room.catchUp(lost.length + this.#reserved.size);
    for (let at = 0; at < lost.length; at += writtenAnewAtOnce)
      await Promise.all(lost.slice(at, at + writtenAnewAtOnce).map((kept) => this.#moveRecord(kept)));
    await this.#room.endCatchUp();
    for (const path of lostFiles) await this.#orphans.leave(path);
    this.logger.info('spool_file_made_anew', { folder: this.folder, settlements: lost.length });
  }

  async #moveRecord(kept: PlacedSettlement): Promise<void> {
    const { input, keptAtMs } = kept;
    const isStillKept = () => this.#kept.get(input.callId) === kept;
    if (!isStillKept()) return;
    const place = await this.#room.write(encodeSlot({ keptAtMs, input }));
    if (isStillKept()) kept.place = place;
    else this.#room.clear(place);
  }

  async #lookAround(): Promise<void> {
    this.#looks += 1;
    await this.#writeAnewWhatIsLost();
    await this.#room.look(this.#reserved.size);
    if (this.#looks % orphansEveryLooks === 0 || this.#orphans.hasUnlocked)
      await this.#adoptOrphans({ isStart: false });
  }

  async #adoptOrphans({ isStart }: { readonly isStart: boolean }): Promise<void> {
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
    if (this.#orphans.hasUnlocked && !this.#isClosed) this.#adoptSoon();
  }

  #adoptSoon(): void {
    this.#adoptTimer ??= setTimeout(() => {
      this.#adoptTimer = null;
      this.#looking = this.#looking.then(() => this.#adoptOrphans({ isStart: false }));
    }, usualUnlockedGraceMs);
    this.#adoptTimer.unref();
  }
}
