import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { NoticeEntity } from './notice.entity.js';

/** Something to tell. */
export interface NewNotice {
  /** What it is about, in at most 191 characters: of several with the same key only the first is told. */
  readonly subjectKey: string;
  /** null: for the operator. */
  readonly accountId: string | null;
  readonly channel: 'email' | 'webhook';
  readonly recipient: string;
  readonly title: string;
  /** Plain text of a mail, JSON of a webhook. Never a secret. */
  readonly body: string;
}

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
  ) {}

  /** Writes a notice in the caller's transaction. @returns false when this subject was told of before. */
  async put(transaction: EntityManager, notice: NewNotice): Promise<boolean> {
    if (await transaction.existsBy(NoticeEntity, { subjectKey: notice.subjectKey })) return false;
    const nowMs = this.clock.nowMs();
    await transaction.insert(NoticeEntity, {
      id: createId('notice'),
      ...notice,
      title: notice.title.slice(0, 191),
      state: 'waiting',
      attempts: 0,
      dueAtMs: nowMs,
      createdAtMs: nowMs,
    });
    return true;
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
