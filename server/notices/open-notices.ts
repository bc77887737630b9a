import type { Config } from '../config/config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { KeptMails } from './kept-mails.js';
import { MailSender, type MailSenderParts } from './mail-sender.js';
import { createMailer } from './mailer.js';
import { Outbox } from './outbox.js';
import { WebhookSender, type WebhookSenderParts } from './webhook-sender.js';

export interface NoticesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is asked when a notice is about to leave. */
export type NoticeSources = Pick<MailSenderParts, 'findEmail' | 'createLink'> &
  Pick<WebhookSenderParts, 'findWebhookSecret' | 'findEndpoint'>;

/** The outbox, and what sends from it once it is told by whom webhooks are signed and mails are read. Starts nothing. */
export function openNotices(
  parts: NoticesParts,
  config: Pick<Config, 'mail' | 'operatorEmail' | 'publicUrl' | 'isProduction'>,
  { isMailboxOpen = false }: { readonly isMailboxOpen?: boolean } = {},
) {
  const { mail, operatorEmail, publicUrl, isProduction } = config;
  const mailbox = isMailboxOpen && mail === null ? new KeptMails() : null;
  return {
    mailbox,
    outbox: new Outbox(parts.unitOfWork, parts.clock, operatorEmail, parts.logger),
    openSenders: (sources: NoticeSources) => ({
      mails: new MailSender({ ...parts, ...sources, mailbox, mailer: mail && createMailer(mail, publicUrl) }),
      webhooks: new WebhookSender({ ...parts, ...sources, isDevelopment: !isProduction }),
    }),
  };
}

export type NoticeSenders = ReturnType<ReturnType<typeof openNotices>['openSenders']>;
