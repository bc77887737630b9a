import { type EntityManager, In, Not } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';

/** What an operator sees of a notice: never its body, which is between us and its reader. */
export type NoticeFacts = Readonly<
  Pick<
    NoticeEntity,
    'id' | 'accountId' | 'channel' | 'recipient' | 'title' | 'state' | 'attempts' | 'dueAtMs' | 'createdAtMs'
  >
>;

const resendable: readonly NoticeState[] = ['given_up', 'waiting'];

/** What an endpoint is sent, and whether it takes it, is its account's own affair. */
const ofOperators = { channel: Not<NoticeEntity['channel']>('endpoint') };

/** The outbox as an operator works through it, without what is for the endpoints of accounts. */
export class NoticeDesk {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** How many wait, and how many were given up. */
  async count(): Promise<{ readonly waiting: number; readonly givenUp: number }> {
    const { reader } = this.unitOfWork;
    const [waiting, givenUp] = await Promise.all([
      reader.countBy(NoticeEntity, { state: 'waiting' }),
      reader.countBy(NoticeEntity, { ...ofOperators, state: 'given_up' }),
    ]);
    return { waiting, givenUp };
  }

  /** Those that were given up, the newest first. */
  async listGivenUp(first: number): Promise<readonly NoticeFacts[]> {
    const where = { ...ofOperators, state: 'given_up' } as const;
    return this.unitOfWork.reader.find(NoticeEntity, { where, order: { dueAtMs: 'DESC' }, take: first });
  }

  /** An account's, the newest first. */
  async listOf(accountId: string, first: number): Promise<readonly NoticeFacts[]> {
    return this.unitOfWork.reader.find(NoticeEntity, {
      where: { ...ofOperators, accountId },
      order: { createdAtMs: 'DESC' },
      take: first,
    });
  }

  /**
   * Has a notice sent that waits or was given up; it is tried anew from the beginning.
   * @param also Written in the same transaction.
   * @throws AppError `not_found`; `conflict` for one that was sent, or that nobody wants any more.
   */
  async resend(
    id: string,
    also: (transaction: EntityManager, notice: NoticeFacts) => Promise<void>,
  ): Promise<NoticeFacts> {
    return this.unitOfWork.transact(async (transaction) => {
      const notice = await transaction.findOneBy(NoticeEntity, { id });
      if (notice === null) throw new AppError('not_found', 'There is no such notice.');
      const again = { state: 'waiting', attempts: 0, dueAtMs: this.clock.nowMs() } as const;
      const { affected } = await transaction.update(NoticeEntity, { id, state: In([...resendable]) }, again);
      if (affected !== 1) throw new AppError('conflict', 'This notice was sent, or nobody wants it any more.');
      await also(transaction, notice);
      return { ...notice, ...again };
    });
  }
}
