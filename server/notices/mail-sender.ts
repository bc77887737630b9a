import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { findPauseMs, toRefused } from './attempts.js';
import type { KeptMails } from './kept-mails.js';
import type { Mail, Mailer } from './mailer.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { NoticeLanes } from './notice-lanes.js';
import { countNotices } from './notice-metrics.js';

/** A secret link, made when its mail is about to leave. */
export interface MailLink {
  readonly url: string;
  /** Where the mail goes; left out: to the notice's recipient. */
  readonly to?: string;
  /** Whom it is about, where the notice does not say. */
  readonly accountId?: string;
  /** The operator's command that prints such a link; null: there is none. */
  readonly command: string | null;
}

export interface MailSenderParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  /** null: mails are only logged. */
  readonly mailer: Mailer | null;
  /** Where a developer looks for what is only logged; null: nowhere. */
  readonly mailbox: KeptMails | null;
  /** The address that an account has proved to read; null: none. Nothing else is mailed to an account, but a link. */
  findEmail(accountId: string): Promise<string | null>;
  /** Makes the secret link of a mail that is about to leave; null: nobody needs it any more. */
  createLink(linkId: string): Promise<MailLink | null>;
}

/** Few enough for any mail server. */
const mailsAtOnceMax = 5;
/** Together with the minute that a mail has less than what its claim lasts, so that nobody else sends it meanwhile. */
const notingMs = 50_000;
const notingPauseMs = 500;

/**
 * Sends the mails of the outbox, on every instance, and nothing else: no receiver of a customer's may hold one up. Those to one address go one after
 * another, a secret link beside all others. A mail is sent once. It is sent once more, under the same id and with a new link, which makes
 * the first one worthless, only where the process dies between the sending and writing that down; where the database takes nothing for nearly a minute and
 * another instance is there; or where the mail server takes a mail and does not say so in time.
 */
export class MailSender {
  readonly #deliveries = countNotices('email');
  readonly #lanes: NoticeLanes;
  /** What became of those whose row does not say so yet, by their ids. */
  readonly #unnoted = new Map<string, NoticeState>();

  constructor(private readonly parts: MailSenderParts) {
    this.#lanes = new NoticeLanes({
      ...parts,
      channels: ['email'],
      laneColumns: ['recipient', 'linkId'],
      lanesAtOnceMax: mailsAtOnceMax,
      send: (notice) => this.#send(notice),
    });
  }

  /** Looks about every five seconds. */
  start(): void {
    this.#lanes.start();
  }

  /** Sends what is due now, and waits for it. */
  sendDue(): Promise<void> {
    return this.#lanes.sendDue();
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    this.parts.mailer?.close();
  }

  /** What this process has sent, and what failed. */
  listMetrics(): Metric[] {
    return this.#deliveries.list();
  }

  /** @returns true: whatever became of it, the next one is another mail. */
  async #send(notice: NoticeEntity): Promise<boolean> {
    const { clock, logger } = this.parts;
    const { id, subjectKey, channel, accountId, attempts } = notice;
    const facts = { noticeId: id, subjectKey, channel, accountId };
    let state = this.#unnoted.get(id);
    try {
      state ??= await this.#mail(notice);
    } catch (error) {
      const pauseMs = findPauseMs(attempts);
      this.#deliveries.add([channel, pauseMs === null ? 'given_up' : 'failed']);
      const nowMs = clock.nowMs();
      // The words of a mail server are for the operator.
      await this.#change(id, { ...toRefused(pauseMs, nowMs), lastAttemptMs: nowMs });
      const failure = { ...facts, attempts, message: (error as Error).message };
      if (pauseMs === null) logger.error('notice_given_up', failure);
      else logger.warn('notice_not_sent', failure);
      return true;
    }
    this.#unnoted.set(id, state);
    await this.#note(notice, state);
    this.#deliveries.add([channel, state]);
    logger.info('notice_dealt_with', { ...facts, state });
    return true;
  }

  /**
   * Writes down what became of a mail, and tries for nearly a minute: a failure here is none of the mail server, and must not have it sent
   * again. @throws what the database says after that; whoever takes the notice up in this process then writes it down without sending.
   */
  async #note({ id, accountId }: NoticeEntity, state: NoticeState): Promise<void> {
    const { clock, logger } = this.parts;
    const begunMs = clock.elapsedMs();
    for (let attempt = 1; ; attempt += 1) {
      try {
        // A request about an address that has no account leaves nothing behind.
        if (state === 'dropped' && accountId === null) await this.#remove(id);
        else await this.#change(id, { state, body: '' });
        this.#unnoted.delete(id);
        return;
      } catch (error) {
        if (attempt === 1) logger.warn('notice_not_noted', { noticeId: id, state, message: (error as Error).message });
        if (clock.elapsedMs() - begunMs >= notingMs) throw error;
        await sleep(notingPauseMs);
      }
    }
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
    await this.parts.unitOfWork.transactForServer((transaction) => transaction.delete(NoticeEntity, { id }));
  }

  async #change(id: string, change: Partial<NoticeEntity>): Promise<void> {
    await this.parts.unitOfWork.transactForServer((transaction) => transaction.update(NoticeEntity, { id }, change));
  }
}
