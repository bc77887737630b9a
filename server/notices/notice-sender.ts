import { LessThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { KeptMails } from './kept-mails.js';
import type { Mail, Mailer } from './mailer.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { deliverWebhook } from './signed-webhook.js';

/** A secret link, made when its mail is about to leave. */
export interface NoticeLink {
  readonly url: string;
  /** Where the mail goes; left out: to the notice's recipient. */
  readonly to?: string;
  /** Whom it is about, where the notice does not say. */
  readonly accountId?: string;
  /** The operator's command that prints such a link; null: there is none. */
  readonly command: string | null;
}

export interface NoticeSenderParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** null: mails are only logged. */
  readonly mailer: Mailer | null;
  /** Where a developer looks for what is only logged; null: nowhere. */
  readonly mailbox: KeptMails | null;
  /** The secret that an account's webhook is signed with; null: it wants none any more. */
  findWebhookSecret(accountId: string): Promise<string | null>;
  /** The address that an account has proved to read; null: none. Nothing else is mailed to an account, but a link. */
  findEmail(accountId: string): Promise<string | null>;
  /** Makes the secret link of a mail that is about to leave; null: nobody needs it any more. */
  createLink(linkId: string): Promise<NoticeLink | null>;
  /** Whether webhooks may go to this machine and without TLS. */
  readonly isDevelopment: boolean;
}

type NoticeChange = Partial<Pick<NoticeEntity, 'state' | 'dueAtMs' | 'body' | 'lastFault' | 'lastAttemptMs'>>;

/** What waits for how many attempts: 30 seconds, then more and more, about a day in all. */
export const pausesMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000, 57_600_000];
/** Longer than any attempt takes: a notice whose sender died is taken up by somebody else after it. */
export const claimMs = 120_000;
const noticesPerRound = 50;

/**
 * Sends what waits in the outbox, on every instance; a claim keeps two from sending the same. A notice is sent once, unless
 * the process dies between the sending and writing that down: then once more, under the same id.
 */
export class NoticeSender {
  readonly #deliveries = new LabelledCounter('tollgate_notices_total', 'Mails and webhooks by what became of them.', [
    { name: 'channel', values: ['email', 'webhook'] },
    { name: 'result', values: ['sent', 'logged', 'dropped', 'failed', 'given_up'] },
  ]);
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();

  constructor(private readonly parts: NoticeSenderParts) {}

  /** Looks about every `intervalMs`. */
  start(intervalMs = 5_000): void {
    this.#timer = setTimeout(
      () => {
        this.#round = this.sendDue().catch((error: unknown) => {
          this.parts.logger.warn('notices_not_sent', { message: (error as Error).message });
        });
        void this.#round.then(() => this.#timer && this.start(intervalMs));
      },
      intervalMs * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  /** Sends everything that is due, up to fifty notices. */
  async sendDue(): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const due = await unitOfWork.reader.find(NoticeEntity, {
      where: { state: 'waiting', dueAtMs: LessThanOrEqual(clock.nowMs()) },
      order: { dueAtMs: 'ASC' },
      take: noticesPerRound,
    });
    for (const notice of due) {
      if (await this.#claim(notice)) await this.#send({ ...notice, attempts: notice.attempts + 1 });
    }
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#round;
    this.parts.mailer?.close();
  }

  /** What this process has sent, and what failed. */
  listMetrics(): Metric[] {
    return this.#deliveries.list();
  }

  async #claim({ id, attempts, dueAtMs }: NoticeEntity): Promise<boolean> {
    const claimed = { attempts: attempts + 1, dueAtMs: this.parts.clock.nowMs() + claimMs };
    const { affected } = await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(NoticeEntity, { id, state: 'waiting', attempts, dueAtMs }, claimed),
    );
    return affected === 1;
  }

  async #send(notice: NoticeEntity): Promise<void> {
    const { logger } = this.parts;
    const { id, subjectKey, channel, accountId, attempts } = notice;
    const facts = { noticeId: id, subjectKey, channel, accountId };
    try {
      const state = await this.#deliver(notice);
      // A request about an address that has no account leaves nothing behind.
      if (state === 'dropped' && accountId === null) await this.#remove(id);
      else await this.#change(id, state === 'sent' && channel === 'webhook' ? this.#taken() : { state, body: '' });
      this.#deliveries.add([channel, state]);
      logger.info('notice_dealt_with', { ...facts, state });
    } catch (error) {
      const pauseMs = pausesMs[attempts - 1];
      this.#deliveries.add([channel, pauseMs === undefined ? 'given_up' : 'failed']);
      if (pauseMs === undefined) {
        await this.#change(id, { state: 'given_up', ...this.#refused(notice, error) });
        logger.error('notice_given_up', { ...facts, attempts, message: (error as Error).message });
        return;
      }
      await this.#change(id, { dueAtMs: this.parts.clock.nowMs() + pauseMs, ...this.#refused(notice, error) });
      logger.warn('notice_not_sent', { ...facts, attempts, message: (error as Error).message });
    }
  }

  async #deliver(notice: NoticeEntity): Promise<NoticeState> {
    if (notice.channel === 'email') return this.#mail(notice);
    const { clock, isDevelopment } = this.parts;
    const { id, accountId, recipient, body } = notice;
    const secret = accountId && (await this.parts.findWebhookSecret(accountId));
    // Its owner has taken the address away in the meantime.
    if (!secret) return 'dropped';
    await deliverWebhook({ id, url: recipient, body, secret, nowMs: clock.nowMs() }, isDevelopment);
    return 'sent';
  }

  async #mail({ id, accountId, recipient, title, body, linkId }: NoticeEntity): Promise<NoticeState> {
    if (linkId !== null) {
      const link = await this.parts.createLink(linkId);
      if (link === null) return 'dropped';
      const mail = { id, to: link.to ?? recipient, title, text: `${body}\n\n${link.url}\n` };
      return this.#hand(mail, { accountId: accountId ?? link.accountId ?? null, command: link.command });
    }
    // Whoever put it knew the address to be verified; but that may have been another one, or an earlier version of this server.
    const isMailed = this.parts.mailer !== null || this.parts.mailbox !== null;
    if (isMailed && accountId !== null && (await this.parts.findEmail(accountId)) !== recipient) return 'dropped';
    return this.#hand({ id, to: recipient, title, text: body }, { accountId, command: null });
  }

  async #hand(mail: Mail, about: { accountId: string | null; command: string | null }): Promise<NoticeState> {
    const { clock, logger, mailbox, mailer } = this.parts;
    if (mailer !== null) {
      await mailer.send(mail);
      return 'sent';
    }
    mailbox?.keep(mail, clock.nowMs());
    const { accountId, command } = about;
    const remedy =
      command === null
        ? 'Set SMTP_URL and MAIL_FROM to have mails sent.'
        : `Set SMTP_URL and MAIL_FROM, or have the link printed: npm run tollgate -- ${command} <e-mail>.`;
    logger.warn('mail_without_smtp', { noticeId: mail.id, accountId, title: mail.title, remedy });
    return 'logged';
  }

  async #remove(id: string): Promise<void> {
    await this.parts.unitOfWork.transact((transaction) => transaction.delete(NoticeEntity, { id }));
  }

  // What a webhook was sent stays, so that its account may look it up and have it sent again.
  #taken(): NoticeChange {
    return { state: 'sent', lastFault: null, lastAttemptMs: this.parts.clock.nowMs() };
  }

  // The words of a mail server are for the operator.
  #refused({ channel }: NoticeEntity, error: unknown): NoticeChange {
    const lastAttemptMs = this.parts.clock.nowMs();
    return channel === 'webhook'
      ? { lastFault: (error as Error).message.slice(0, 191), lastAttemptMs }
      : { lastAttemptMs };
  }

  async #change(id: string, change: NoticeChange): Promise<void> {
    await this.parts.unitOfWork.transact((transaction) => transaction.update(NoticeEntity, { id }, change));
  }
}
