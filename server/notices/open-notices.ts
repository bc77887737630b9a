import type { Config } from '../config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { createMailer } from './mailer.js';
import { NoticeSender, type NoticeSenderParts } from './notice-sender.js';
import { Outbox } from './outbox.js';

export interface NoticesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The outbox, and what sends from it once it is told by whom webhooks are signed. Starts nothing. */
export function openNotices(
  parts: NoticesParts,
  config: Pick<Config, 'mail' | 'operatorEmail' | 'publicUrl' | 'isProduction'>,
) {
  const { mail, operatorEmail, publicUrl, isProduction } = config;
  return {
    outbox: new Outbox(parts.unitOfWork, parts.clock, operatorEmail),
    openSender: (findWebhookSecret: NoticeSenderParts['findWebhookSecret']) =>
      new NoticeSender({
        ...parts,
        findWebhookSecret,
        mailer: mail && createMailer(mail, publicUrl),
        isDevelopment: !isProduction,
      }),
  };
}
