import { Brackets, LessThan, MoreThan } from 'typeorm';
import { repeatOnDuplicate } from '../database/database-errors.js';
import { raiseMark } from '../database/raise-mark.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { NoticeReadEntity } from './notice-read.entity.js';
import { noticesKeptMs } from './old-notices.js';

/** One way by which something was told, and what became of that. */
export interface NoticeWay {
  readonly channel: NoticeEntity['channel'];
  readonly state: NoticeState;
}

/** Something that an account was told, by all its ways together. */
export interface ToldNotice {
  readonly id: string;
  readonly title: string;
  readonly atMs: number;
  readonly ways: readonly NoticeWay[];
  readonly isRead: boolean;
}

/** Whose list, as who reads it. */
export interface NoticeReader {
  readonly accountId: string;
  /** null: not a person, for whom nothing is marked as read. */
  readonly personId: string | null;
}

const rowsMax = 300;
/**
 * What is for every member: money and use. Mails to a person about passwords, devices and invitations have other subjects, and are
 * for that person alone.
 */
const sharedSubjects = ['balance:', 'budget:', 'member-budget:', 'spike:', 'low:', 'top-up-'];

/** What an account was told of its money and use, as its members may look it up. */
export class ToldNotices {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Of the last 90 days, the newest first. @param first 1 to 100. */
  async list({ accountId, personId }: NoticeReader, first: number): Promise<readonly ToldNotice[]> {
    const { reader } = this.unitOfWork;
    const mark = personId === null ? null : await reader.findOneBy(NoticeReadEntity, { accountId, personId });
    const rows = await reader
      .getRepository(NoticeEntity)
      .createQueryBuilder('notice')
      .where({ accountId, createdAtMs: MoreThan(this.clock.nowMs() - noticesKeptMs) })
      .andWhere(
        new Brackets((any) => {
          sharedSubjects.forEach((subject, at) => {
            any.orWhere(`notice.subjectKey LIKE :subject${at}`, { [`subject${at}`]: `${subject}%` });
          });
        }),
      )
      .orderBy('notice.createdAtMs', 'DESC')
      .addOrderBy('notice.id', 'DESC')
      .take(rowsMax)
      .getMany();
    const readUntilMs = mark?.readUntilMs ?? 0;
    return groupWays(rows)
      .slice(0, first)
      .map((notice) => ({ ...notice, isRead: personId === null || notice.atMs <= readUntilMs }));
  }

  /** Marks all as read that the person was told until then; an earlier mark stays. */
  async markRead({ accountId, personId }: { accountId: string; personId: string }, untilMs: number): Promise<void> {
    const readUntilMs = Math.min(untilMs, this.clock.nowMs());
    const lower = [{ readUntilMs: LessThan(readUntilMs) }];
    const rise = { whose: { accountId, personId }, lower, mark: { readUntilMs } };
    // Two tabs may set the first mark at once.
    await repeatOnDuplicate(() =>
      this.unitOfWork.transact((transaction) => raiseMark(transaction, NoticeReadEntity, rise)),
    );
  }
}

// The ways of one alert are written in one transaction, and their subjects differ by the way alone.
function groupWays(rows: readonly NoticeEntity[]): Omit<ToldNotice, 'isRead'>[] {
  const groups = new Map<string, NoticeEntity[]>();
  for (const row of rows) {
    const subject = row.subjectKey.replace(/:(mail|hook|page)(?=:|$)/, '');
    groups.set(subject, [...(groups.get(subject) ?? []), row]);
  }
  return [...groups.values()].map((ways) => {
    const [newest] = ways as [NoticeEntity];
    return {
      id: newest.id,
      title: newest.title,
      atMs: newest.createdAtMs,
      ways: ways.map(({ channel, state }) => ({ channel, state })),
    };
  });
}
