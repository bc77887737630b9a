import { type EntityManager, In, IsNull, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { noticesKeptMs } from './old-notices.js';
import { type Outbox, testSubject } from './outbox.js';

/** One message to the webhook of an account's balance alert, or to one of its endpoints. */
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
    | 'endpointId'
  >
>;

export interface WebhookDeliveriesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, 'put'>;
  /** Where the account's balance alert has its messages sent; null: nowhere. */
  readonly findWebhookUrl: (accountId: string) => Promise<string | null>;
  /** Where an endpoint has them sent; null: it is gone. */
  readonly findEndpoint: (endpointId: string) => Promise<{ readonly accountId: string; readonly url: string } | null>;
}

const resendable: readonly NoticeState[] = ['sent', 'given_up', 'waiting', 'queued'];
const channels = ['webhook', 'endpoint'] as const;

/** What an account's webhook and endpoints were sent, as the account may look it up and have it sent again. */
export class WebhookDeliveries {
  constructor(private readonly parts: WebhookDeliveriesParts) {}

  /**
   * Of the last 90 days, the newest first; of those about calls the last hundred of each endpoint. @param first 1 to 100.
   * @param endpointId null: the webhook of the balance alert; left out: all.
   */
  async list(accountId: string, first: number, endpointId?: string | null): Promise<readonly WebhookDelivery[]> {
    const { clock, unitOfWork } = this.parts;
    return unitOfWork.reader.find(NoticeEntity, {
      where: {
        accountId,
        channel: In(channels),
        createdAtMs: MoreThan(clock.nowMs() - noticesKeptMs),
        ...(endpointId === undefined ? {} : { endpointId: endpointId ?? IsNull() }),
      },
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
    const where = { id, accountId, channel: In(channels) };
    const notice = await unitOfWork.reader.findOneBy(NoticeEntity, where);
    if (notice === null) throw new AppError('not_found', 'There is no such delivery in this account.');
    const { recipient, state } = await this.#getWay(accountId, notice.endpointId);
    const again = { state, attempts: 0, dueAtMs: clock.nowMs(), recipient, lastFault: null };
    return unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.update(NoticeEntity, { id, state: In([...resendable]) }, again);
      if (affected !== 1 || notice.body === '')
        throw new AppError('conflict', 'What this delivery said is no longer kept, so it cannot be sent again.');
      return { ...notice, ...again };
    });
  }

  /**
   * Sends a message of the event `test`. @param endpointId To this endpoint; null: to the webhook of the balance alert.
   * @throws AppError `not_found` for an endpoint that is none of the account's; `conflict` without an address; `rate_limit_exceeded` when it had its ten tests of this hour. Alerts have their own ten.
   */
  async sendTest(accountId: string, endpointId: string | null = null): Promise<WebhookDelivery> {
    const { clock, outbox, unitOfWork } = this.parts;
    const { recipient, state: _, ...way } = await this.#getWay(accountId, endpointId);
    const subjectKey = `${testSubject}${createId('notice')}`;
    const body = JSON.stringify({ type: 'test', accountId, at: new Date(clock.nowMs()).toISOString() });
    const test = { subjectKey, accountId, ...way, recipient, title: 'Test of the webhook', body };
    return unitOfWork.transact(async (transaction) => {
      if (await outbox.put(transaction, test)) return getBySubject(transaction, subjectKey);
      const words = 'A webhook is sent at most ten tests in an hour. Try again later.';
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: 600_000 });
    });
  }

  async #getWay(accountId: string, endpointId: string | null) {
    if (endpointId !== null) {
      const endpoint = await this.parts.findEndpoint(endpointId);
      if (endpoint?.accountId === accountId)
        return { recipient: endpoint.url, state: 'queued', channel: 'endpoint', endpointId } as const;
      throw new AppError('not_found', 'There is no such endpoint in this account.');
    }
    const recipient = await this.parts.findWebhookUrl(accountId);
    if (recipient !== null) return { recipient, state: 'waiting', channel: 'webhook' } as const;
    throw new AppError('conflict', 'The account has no webhook. Set its address with setBalanceAlert first.');
  }
}

async function getBySubject(transaction: EntityManager, subjectKey: string): Promise<NoticeEntity> {
  return transaction.findOneByOrFail(NoticeEntity, { subjectKey });
}
