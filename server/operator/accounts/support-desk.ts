import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/app-error.js';
import type { OperatorLog } from '../operator-log.js';
import { actorOf, type OperatorCaller } from '../people/operator-sessions.js';

type Also = (transaction: EntityManager) => Promise<void>;

interface Notice {
  readonly id: string;
  readonly accountId: string | null;
}

export interface SupportDeskParts<NoticeShape extends Notice> {
  readonly log: OperatorLog;
  /** The address that an account signs in with; null: there is no such account, or it is deleted. */
  readonly findEmail: (accountId: string) => Promise<string | null>;
  readonly endAllSessions: (accountId: string, also: Also) => Promise<number>;
  readonly createResetLinkFor: (email: string, also: Also) => Promise<string | null>;
  readonly resendNotice: (
    id: string,
    also: (transaction: EntityManager, notice: NoticeShape) => Promise<void>,
  ) => Promise<NoticeShape>;
}

/** What helps a customer in and out, without credits. Each change stands in the operator's log. */
export class SupportDesk<NoticeShape extends Notice = Notice> {
  constructor(private readonly parts: SupportDeskParts<NoticeShape>) {}

  /** Ends every session of an account at once. @returns how many. @throws AppError `not_found`; InvalidInputError for the reason. */
  async endSessions(by: OperatorCaller, accountId: string, reason: string): Promise<number> {
    await this.#getEmail(accountId);
    const log = this.parts.log.by(actorOf(by));
    return this.parts.endAllSessions(accountId, (transaction) =>
      log.write(transaction, { action: 'end_sessions', accountId, reason }),
    );
  }

  /**
   * Makes the link by which an account's owner chooses a new password, good for 30 minutes and one use. @throws AppError `not_found`; InvalidInputError for the reason.
   */
  async createResetLink(by: OperatorCaller, accountId: string, reason: string): Promise<string> {
    const email = await this.#getEmail(accountId);
    const log = this.parts.log.by(actorOf(by));
    const link = await this.parts.createResetLinkFor(email, (transaction) =>
      log.write(transaction, { action: 'reset_link', accountId, reason }),
    );
    if (link === null) throw noSuchAccount();
    return link;
  }

  /** Has a notice sent again. @throws AppError `not_found`, `conflict`. */
  async resendNotice(by: OperatorCaller, id: string): Promise<NoticeShape> {
    const log = this.parts.log.by(actorOf(by));
    return this.parts.resendNotice(id, (transaction, { accountId }) =>
      log.write(transaction, {
        action: 'resend_notice',
        subject: id,
        reason: 'Sent again',
        ...(accountId === null ? {} : { accountId }),
      }),
    );
  }

  async #getEmail(accountId: string): Promise<string> {
    const email = await this.parts.findEmail(accountId);
    if (email === null) throw noSuchAccount();
    return email;
  }
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account, or it is deleted.');
}
