import { isDue } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { findPauseMs, longestPauseMs, toRefused } from './attempts.js';
import { NoticeEntity } from './notice.entity.js';
import { NoticeLanes, noticesOf } from './notice-lanes.js';
import { countNotices } from './notice-metrics.js';
import { deliverWebhook } from './signed-webhook.js';

interface Target {
  readonly url: string;
  readonly secret: string;
}

export interface WebhookSenderParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The secret that the webhook of an account's balance alert is signed with; null: it wants none any more. */
  findWebhookSecret(accountId: string): Promise<string | null>;
  /** Where an endpoint's messages go and what they are signed with; null: it was deleted. */
  findEndpoint(endpointId: string): Promise<Target | null>;
  /** Whether messages may go to this machine and without TLS. */
  readonly isDevelopment: boolean;
  /** See `NoticeLanesParts`. */
  readonly sendMsMax?: number;
  /** Between two looks; left out: five seconds. */
  readonly intervalMs?: number;
}

const receiversAtOnceMax = 32;
const receiversOfAccountMax = 2;
/** What waits behind a message that was refused is held back as long as that, but no longer than this. */
const heldBackMsMax = 600_000;

/**
 * Sends what waits for receivers that accounts choose, the webhooks of their balance alerts and their endpoints, on every instance: 32 receivers
 * at once and two of an account, those messages of one that are due in their order and one at a time. After one that was not taken, what is due
 * behind it waits as long; what is written later is tried once beside it. Sent at least once: twice when a process dies between sending and noting it, under the same id.
 */
export class WebhookSender {
  readonly #alerts = countNotices('webhook');
  readonly #endpointMessages = new LabelledCounter(
    'tollgate_endpoint_messages_total',
    'Messages to the endpoints of accounts by what became of them.',
    [{ name: 'result', values: ['sent', 'dropped', 'failed', 'given_up'] }],
  );
  readonly #lanes: NoticeLanes;

  constructor(private readonly parts: WebhookSenderParts) {
    this.#lanes = new NoticeLanes({
      ...parts,
      channels: ['webhook', 'endpoint'],
      laneColumns: ['accountId', 'channel', 'endpointId'],
      lanesAtOnceMax: receiversAtOnceMax,
      lanesOfAccountMax: receiversOfAccountMax,
      send: (notice) => this.#send(notice),
    });
  }

  /** Looks about every five seconds. */
  start(): void {
    this.#lanes.start();
  }

  /** Gives each receiver that something is due for one turn, and waits for these. */
  sendDue(): Promise<void> {
    return this.#lanes.sendDue();
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  /** What this process has sent, and what failed. */
  listMetrics(): Metric[] {
    return [...this.#alerts.list(), ...this.#endpointMessages.list()];
  }

  /** @returns Whether the next message of the receiver may be tried. */
  async #send(notice: NoticeEntity): Promise<boolean> {
    const { clock, isDevelopment } = this.parts;
    const { id, body } = notice;
    const target = await this.#findTarget(notice);
    if (target === null) {
      await this.#note(notice, { state: 'dropped', body: '' });
      return true;
    }
    const lastAttemptMs = clock.nowMs();
    try {
      await deliverWebhook({ ...target, id, body, nowMs: lastAttemptMs }, isDevelopment);
    } catch (error) {
      await this.#noteRefused(notice, { lastFault: (error as Error).message.slice(0, 191), lastAttemptMs });
      return false;
    }
    // What it was sent stays, so that its account may look it up and have it sent again.
    await this.#note(notice, { state: 'sent', recipient: target.url, lastFault: null, lastAttemptMs });
    return true;
  }

  async #findTarget({ accountId, channel, endpointId, recipient }: NoticeEntity): Promise<Target | null> {
    if (channel === 'endpoint') return endpointId === null ? null : this.parts.findEndpoint(endpointId);
    const secret = accountId && (await this.parts.findWebhookSecret(accountId));
    return secret ? { url: recipient, secret } : null;
  }

  async #note(notice: NoticeEntity, change: Partial<NoticeEntity> & { readonly state: 'sent' | 'dropped' }) {
    const { id, subjectKey, channel, accountId } = notice;
    const { state } = change;
    await this.parts.unitOfWork.transactForServer((transaction) => transaction.update(NoticeEntity, { id }, change));
    this.#count(notice, state);
    // What endpoints are sent is their owners' affair, and much.
    if (channel === 'webhook')
      this.parts.logger.info('notice_dealt_with', { noticeId: id, subjectKey, channel, accountId, state });
  }

  async #noteRefused(notice: NoticeEntity, fault: Pick<NoticeEntity, 'lastFault' | 'lastAttemptMs'>): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const { id, accountId, channel, endpointId, state, attempts } = notice;
    const pauseMs = findPauseMs(attempts);
    const nowMs = clock.nowMs();
    await unitOfWork.transactForServer(async (transaction) => {
      await transaction.update(NoticeEntity, { id }, { ...toRefused(pauseMs, nowMs), ...fault });
      const behind = { ...noticesOf({ accountId, channel, endpointId }), state };
      const heldBackMs = Math.min(pauseMs ?? heldBackMsMax, heldBackMsMax);
      const dueAtMs = nowMs + heldBackMs;
      const dueUntil = isDue(dueAtMs, longestPauseMs - heldBackMs);
      await transaction.update(NoticeEntity, { ...behind, dueAtMs: dueUntil }, { dueAtMs });
    });
    this.#count(notice, pauseMs === null ? 'given_up' : 'failed');
    this.#tellRefused(notice, fault.lastFault, pauseMs === null);
  }

  #tellRefused(notice: NoticeEntity, fault: string | null, isGivenUp: boolean): void {
    const { logger } = this.parts;
    const { id, subjectKey, channel, accountId, endpointId, attempts } = notice;
    const facts = { noticeId: id, accountId, attempts };
    if (channel === 'endpoint') logger.warn('endpoint_refused', { ...facts, endpointId, fault });
    else if (isGivenUp) logger.error('notice_given_up', { ...facts, subjectKey, channel, message: fault });
    else logger.warn('notice_not_sent', { ...facts, subjectKey, channel, message: fault });
  }

  #count({ channel }: NoticeEntity, result: 'sent' | 'dropped' | 'failed' | 'given_up'): void {
    if (channel === 'endpoint') this.#endpointMessages.add([result]);
    else this.#alerts.add([channel, result]);
  }
}
