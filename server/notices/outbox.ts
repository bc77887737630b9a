import { type EntityManager, IsNull, Like, MoreThan, Not } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { NoticeEntity } from './notice.entity.js';

/** Something to tell. */
export interface NewNotice {
  /** What it is about, in at most 191 characters: of several with the same key only the first is told. */
  readonly subjectKey: string;
  /** null: for the operator. */
  readonly accountId: string | null;
  /** `dashboard`: nothing is sent, and the account finds it among its notices; without a bound. */
  readonly channel: 'email' | 'webhook' | 'dashboard';
  readonly recipient: string;
  readonly title: string;
  /** Plain text of a mail, JSON of a webhook. Never a secret. */
  readonly body: string;
  /** Of a mail that ends in a secret link: what the link is made for when the mail is sent. Whoever puts it bounds it. */
  readonly linkId?: string;
  /** Not within the bound of an hour: nobody may have it refused by causing others first. Whoever puts it bounds it. */
  readonly isAboutSecurity?: boolean;
}

const hourMs = 3_600_000;
/** Nothing that an account does makes us send it more than this in an hour, each way. */
const noticesPerHourMax = 10;

/** How the subjects of tests begin, which an account asks for. They have their own hour, so that no alert is lost to them. */
export const testSubject = 'webhook-test:';

/**
 * Where notices wait to be sent. They are written with whatever made them necessary, in one transaction, so none is lost by a
 * crash; `NoticeSender` sends them.
 */
export class Outbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** Where the operator wants to be told; null: by the log alone. */
    private readonly operatorEmail: string | null,
    private readonly logger: Logger,
  ) {}

  /**
   * Writes a notice in the caller's transaction.
   * @returns false when this subject was told of before, and when the account has had its ten of this hour, which is logged.
   */
  async put(transaction: EntityManager, { isAboutSecurity = false, ...notice }: NewNotice): Promise<boolean> {
    if (await transaction.existsBy(NoticeEntity, { subjectKey: notice.subjectKey })) return false;
    const nowMs = this.clock.nowMs();
    const { accountId, channel, subjectKey, linkId = null } = notice;
    const isBounded = linkId === null && !isAboutSecurity && channel !== 'dashboard';
    if (isBounded && accountId !== null && (await this.#isHourFull(transaction, { accountId, channel }, subjectKey))) {
      this.logger.warn('notice_refused', { accountId, channel, subjectKey, perHourMax: noticesPerHourMax });
      return false;
    }
    await transaction.insert(NoticeEntity, {
      id: createId('notice'),
      ...notice,
      linkId,
      title: notice.title.slice(0, 191),
      state: channel === 'dashboard' ? 'sent' : 'waiting',
      attempts: 0,
      dueAtMs: nowMs,
      createdAtMs: nowMs,
    });
    return true;
  }

  async #isHourFull(
    transaction: EntityManager,
    of: Pick<NoticeEntity, 'channel'> & { accountId: string },
    subjectKey: string,
  ) {
    const createdAtMs = MoreThan(this.clock.nowMs() - hourMs);
    const isTest = Like(`${testSubject}%`);
    const alike = { subjectKey: subjectKey.startsWith(testSubject) ? isTest : Not(isTest) };
    const put = await transaction.countBy(NoticeEntity, { ...of, ...alike, createdAtMs, linkId: IsNull() });
    return put >= noticesPerHourMax;
  }

  /** Writes a notice for the operator, if there is an address for that. */
  async tellOperator(notice: Pick<NewNotice, 'subjectKey' | 'title' | 'body'>): Promise<void> {
    const recipient = this.operatorEmail;
    if (recipient === null) return;
    try {
      await this.unitOfWork.transact((transaction) =>
        this.put(transaction, { ...notice, accountId: null, channel: 'email', recipient }),
      );
    } catch (error) {
      // Another instance tells of the same thing.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}
