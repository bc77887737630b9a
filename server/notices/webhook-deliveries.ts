import { type EntityManager, In, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { type Outbox, testSubject } from './outbox.js';

/** One message to an account's webhook. */
export type WebhookDelivery = Readonly<
  Pick<
    NoticeEntity,
    | 'id'
    | 'recipient'
    | 'title'
    | 'body'
    | 'state'
    | 'attempts'
    | 'dueAtMs'
    | 'createdAtMs'
    | 'lastFault'
    | 'lastAttemptMs'
  >
>;

export interface WebhookDeliveriesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, 'put'>;
  /** Where the account has its messages sent; null: nowhere. */
  readonly findWebhookUrl: (accountId: string) => Promise<string | null>;
}

const keptMs = 90 * 24 * 60 * 60_000;
const resendable: readonly NoticeState[] = ['sent', 'given_up', 'waiting'];

/** What an account's webhook was sent, as the account may look it up and have it sent again. */
export class WebhookDeliveries {
  constructor(private readonly parts: WebhookDeliveriesParts) {}

  /** Of the last 90 days, the newest first. @param first 1 to 100. */
  async list(accountId: string, first: number): Promise<readonly WebhookDelivery[]> {
    const { clock, unitOfWork } = this.parts;
    return unitOfWork.reader.find(NoticeEntity, {
      where: { accountId, channel: 'webhook', createdAtMs: MoreThan(clock.nowMs() - keptMs) },
      order: { createdAtMs: 'DESC', id: 'DESC' },
      take: first,
    });
  }

  /**
   * Has a message sent once more, to the address as it is now, under the same id; it is tried anew from the beginning.
   * @throws AppError `not_found`; `conflict` without an address, and for a message whose content is no longer kept.
   */
  async resend(accountId: string, id: string): Promise<WebhookDelivery> {
    const { clock, unitOfWork } = this.parts;
    const recipient = await this.#getWebhookUrl(accountId);
    const again = { state: 'waiting', attempts: 0, dueAtMs: clock.nowMs(), recipient, lastFault: null } as const;
    return unitOfWork.transact(async (transaction) => {
      const notice = await transaction.findOneBy(NoticeEntity, { id, accountId, channel: 'webhook' });
      if (notice === null) throw new AppError('not_found', 'There is no such delivery in this account.');
      const { affected } = await transaction.update(NoticeEntity, { id, state: In([...resendable]) }, again);
      if (affected !== 1 || notice.body === '')
        throw new AppError('conflict', 'What this delivery said is no longer kept, so it cannot be sent again.');
      return { ...notice, ...again };
    });
  }

  /**
   * Sends a message of the event `test` to the account's webhook.
   * @throws AppError `conflict` without an address; `rate_limit_exceeded` when it had its ten tests of this hour. Alerts have their own ten.
   */
  async sendTest(accountId: string): Promise<WebhookDelivery> {
    const { clock, outbox, unitOfWork } = this.parts;
    const recipient = await this.#getWebhookUrl(accountId);
    const subjectKey = `${testSubject}${createId('notice')}`;
    const body = JSON.stringify({ type: 'test', accountId, at: new Date(clock.nowMs()).toISOString() });
    const test = { subjectKey, accountId, channel: 'webhook', recipient, title: 'Test of the webhook', body } as const;
    return unitOfWork.transact(async (transaction) => {
      if (await outbox.put(transaction, test)) return getBySubject(transaction, subjectKey);
      const words = 'A webhook is sent at most ten tests in an hour. Try again later.';
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: 600_000 });
    });
  }

  async #getWebhookUrl(accountId: string): Promise<string> {
    const url = await this.parts.findWebhookUrl(accountId);
    if (url !== null) return url;
    throw new AppError('conflict', 'The account has no webhook. Set its address with setBalanceAlert first.');
  }
}

async function getBySubject(transaction: EntityManager, subjectKey: string): Promise<NoticeEntity> {
  return transaction.findOneByOrFail(NoticeEntity, { subjectKey });
}
