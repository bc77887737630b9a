import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import { isPrintableWithin } from '../kernel/texts/printable-text.js';
import { AnnouncementEntity } from './announcement.entity.js';

export type Announcement = Readonly<AnnouncementEntity>;

export interface NewAnnouncement {
  /** Whether new calls are refused while it lasts. */
  readonly isMaintenance: boolean;
  /** 3 to 500 characters, shown to everybody. */
  readonly text: string;
  /** null: at once. */
  readonly startsAtMs: number | null;
  /** null: until somebody ends it. */
  readonly endsAtMs: number | null;
  /** As the operators' log names them. */
  readonly createdBy: string;
}

type Also = (transaction: EntityManager, announcement: Announcement) => Promise<void>;

const textLengthMin = 3;
const textLengthMax = 500;
const openMax = 20;
const endedByHand = 0;
const aheadMsMax = 366 * 24 * 60 * 60_000;

/** What operators tell everybody: news, and maintenance during which new calls are refused. */
export class Announcements {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Those that are not over, the one that begins first at the front; at most 20. */
  async listOpen(): Promise<readonly Announcement[]> {
    return this.#listOpen(this.unitOfWork.reader);
  }

  /**
   * Makes one. @param also Runs in the transaction that writes it.
   * @throws InvalidInputError for `text`, `startsAt` or `endsAt`; AppError `conflict` when 20 are not over.
   */
  async add({ createdBy, ...wanted }: NewAnnouncement, also: Also): Promise<Announcement> {
    const nowMs = this.clock.nowMs();
    const announcement = {
      id: createId('announcement'),
      isMaintenance: wanted.isMaintenance,
      text: readText(wanted.text),
      ...readTimes(wanted, nowMs),
      createdBy,
      createdAtMs: nowMs,
    };
    await this.unitOfWork.transact(async (transaction) => {
      await transaction.insert(AnnouncementEntity, announcement);
      // After the write, which is what several operators at once wait for on SQLite.
      if ((await this.#listOpen(transaction)).length > openMax)
        throw new AppError('conflict', `At most ${openMax} announcements can be open. End one that nobody needs.`);
      await also(transaction, announcement);
    });
    return announcement;
  }

  /** Ends one now, begun or not, whatever the clock shows later. @param also Runs in the same transaction. @throws AppError `not_found` when none of that id is open. */
  async end(id: string, also: Also): Promise<void> {
    const nowMs = this.clock.nowMs();
    await this.unitOfWork.transact(async (transaction) => {
      const isOpen = [{ endsAtMs: IsNull() }, { endsAtMs: MoreThan(nowMs) }];
      const found = isId('announcement', id)
        ? await transaction.findOneBy(
            AnnouncementEntity,
            isOpen.map((open) => ({ id, ...open })),
          )
        : null;
      if (found === null) throw new AppError('not_found', 'There is no such announcement that is still open.');
      // Not the time of a clock that may be ahead: it would be in force again when that is set right. The operators' log says when.
      await transaction.update(AnnouncementEntity, { id }, { endsAtMs: endedByHand });
      await also(transaction, found);
    });
  }

  async #listOpen(reader: EntityManager): Promise<Announcement[]> {
    const nowMs = this.clock.nowMs();
    const open = await reader.find(AnnouncementEntity, {
      where: [{ endsAtMs: IsNull() }, { endsAtMs: MoreThan(nowMs) }],
      order: { startsAtMs: 'ASC', id: 'ASC' },
      take: openMax + 1,
    });
    return open.map((one) => ({ ...one, startsAtMs: beginningOf(one, nowMs) }));
  }
}

/** What was to begin at once has begun, also where the clock was ahead then and was set right since. */
function beginningOf({ startsAtMs, createdAtMs }: AnnouncementEntity, nowMs: number): number {
  return startsAtMs === createdAtMs ? Math.min(startsAtMs, nowMs) : startsAtMs;
}

/** @throws InvalidInputError naming `text`. */
function readText(given: string): string {
  const text = given.trim();
  if (!isPrintableWithin(text, textLengthMin, textLengthMax)) {
    const words = `An announcement has ${textLengthMin} to ${textLengthMax} printable characters, without line breaks.`;
    throw new InvalidInputError('text', words);
  }
  return text;
}

/** @throws InvalidInputError naming `startsAt` or `endsAt`. */
function readTimes({ startsAtMs, endsAtMs }: Pick<NewAnnouncement, 'startsAtMs' | 'endsAtMs'>, nowMs: number) {
  const beginsAtMs = Math.max(startsAtMs ?? nowMs, nowMs);
  if (beginsAtMs > nowMs + aheadMsMax)
    throw new InvalidInputError('startsAt', 'It begins within a year. Name an earlier time.');
  if (endsAtMs !== null && (endsAtMs <= beginsAtMs || endsAtMs > beginsAtMs + aheadMsMax))
    throw new InvalidInputError(
      'endsAt',
      'It ends after it has begun, and within a year. Name another time, or none: then it is ended by hand.',
    );
  return { startsAtMs: beginsAtMs, endsAtMs };
}
