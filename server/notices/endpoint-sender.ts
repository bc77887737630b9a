import { LessThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { NoticeEntity } from './notice.entity.js';
import { claimMs, pausesMs } from './notice-sender.js';
import { deliverWebhook } from './signed-webhook.js';

export interface EndpointSenderParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where an endpoint's messages go and what they are signed with; null: it was deleted. */
  findEndpoint(endpointId: string): Promise<{ readonly url: string; readonly secret: string } | null>;
  /** Whether messages may go to this machine and without TLS. */
  readonly isDevelopment: boolean;
}

const intervalMs = 5_000;
const noticesPerRound = 200;
const endpointsAtOnce = 8;
/** What waits behind a message that was refused is held back as long as that, but no longer than this. */
const heldBackMsMax = 600_000;

/**
 * Sends what waits for the endpoints of accounts, on every instance, apart from mails, which no receiver may hold up: eight endpoints
 * at once, those of one that are due in their order and one at a time. After one that was not taken, what is due behind it waits as
 * long; what is written later is tried once beside it. Sent at least once: twice when a process dies between sending and noting it, under the same id.
 */
export class EndpointSender {
  readonly #deliveries = new LabelledCounter(
    'tollgate_endpoint_messages_total',
    'Messages to the endpoints of accounts by what became of them.',
    [{ name: 'result', values: ['sent', 'dropped', 'failed', 'given_up'] }],
  );
  readonly #job: RepeatedJob;

  constructor(private readonly parts: EndpointSenderParts) {
    this.#job = new RepeatedJob({
      run: () => this.sendDue(),
      intervalMs,
      onFailure: (error) => parts.logger.warn('endpoints_not_served', { message: (error as Error).message }),
    });
  }

  /** Looks about every five seconds. */
  start(): void {
    this.#job.start(intervalMs * (0.75 + Math.random() / 2));
  }

  close(): Promise<void> {
    return this.#job.close();
  }

  /** What this process has sent, and what failed. */
  listMetrics(): Metric[] {
    return this.#deliveries.list();
  }

  /** Sends everything that is due, up to 200 messages. */
  async sendDue(): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const due = await unitOfWork.reader.find(NoticeEntity, {
      where: { state: 'queued', dueAtMs: LessThanOrEqual(clock.nowMs()) },
      order: { dueAtMs: 'ASC', id: 'ASC' },
      take: noticesPerRound,
    });
    const queueOf = new Map<string | null, NoticeEntity[]>();
    for (const notice of due) {
      const known = queueOf.get(notice.endpointId);
      if (known) known.push(notice);
      else queueOf.set(notice.endpointId, [notice]);
    }
    const queues = [...queueOf.values()];
    const work = async () => {
      for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) await this.#serve(queue);
    };
    await Promise.all(Array.from({ length: endpointsAtOnce }, work));
  }

  async #serve(queue: readonly NoticeEntity[]): Promise<void> {
    for (const notice of queue) {
      if (!(await this.#claim(notice))) return;
      if (!(await this.#send({ ...notice, attempts: notice.attempts + 1 }))) return;
    }
  }

  async #claim({ id, attempts, dueAtMs }: NoticeEntity): Promise<boolean> {
    const claimed = { attempts: attempts + 1, dueAtMs: this.parts.clock.nowMs() + claimMs };
    const { affected } = await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(NoticeEntity, { id, state: 'queued', attempts, dueAtMs }, claimed),
    );
    return affected === 1;
  }

  /** @returns Whether the next message of the endpoint may be tried. */
  async #send(notice: NoticeEntity): Promise<boolean> {
    const { clock, isDevelopment } = this.parts;
    const { id, body, endpointId } = notice;
    const endpoint = endpointId && (await this.parts.findEndpoint(endpointId));
    if (!endpoint) {
      await this.#change(notice, { state: 'dropped', body: '' });
      this.#deliveries.add(['dropped']);
      return true;
    }
    const { url, secret } = endpoint;
    const lastAttemptMs = clock.nowMs();
    try {
      await deliverWebhook({ id, url, body, secret, nowMs: lastAttemptMs }, isDevelopment);
    } catch (error) {
      await this.#noteRefused(notice, { lastFault: (error as Error).message.slice(0, 191), lastAttemptMs });
      return false;
    }
    await this.#change(notice, { state: 'sent', recipient: url, lastFault: null, lastAttemptMs });
    this.#deliveries.add(['sent']);
    return true;
  }

  async #noteRefused(notice: NoticeEntity, fault: Pick<NoticeEntity, 'lastFault' | 'lastAttemptMs'>): Promise<void> {
    const { clock, logger, unitOfWork } = this.parts;
    const { id, accountId, endpointId, attempts } = notice;
    const pauseMs = pausesMs[attempts - 1];
    this.#deliveries.add([pauseMs === undefined ? 'given_up' : 'failed']);
    logger.warn('endpoint_refused', { noticeId: id, accountId, endpointId, attempts, fault: fault.lastFault });
    const nowMs = clock.nowMs();
    await unitOfWork.transact(async (transaction) => {
      const outcome = pauseMs === undefined ? { state: 'given_up' as const } : { dueAtMs: nowMs + pauseMs };
      await transaction.update(NoticeEntity, { id }, { ...outcome, ...fault });
      const behind = { accountId: accountId ?? '', endpointId: endpointId ?? '', state: 'queued' as const };
      const dueAtMs = nowMs + Math.min(pauseMs ?? heldBackMsMax, heldBackMsMax);
      await transaction.update(NoticeEntity, { ...behind, dueAtMs: LessThanOrEqual(dueAtMs) }, { dueAtMs });
    });
  }

  async #change({ id }: NoticeEntity, change: Partial<NoticeEntity>): Promise<void> {
    await this.parts.unitOfWork.transact((transaction) => transaction.update(NoticeEntity, { id }, change));
  }
}
