import type { EntityManager } from 'typeorm';
import { createId } from '../kernel/ids.js';

/** A mail to the owner of an account. */
interface FactorMail {
  readonly subjectKey: string;
  readonly accountId: string;
  readonly channel: 'email';
  readonly recipient: string;
  readonly title: string;
  readonly body: string;
}

export interface FactorNoticesParts {
  /** Where mails wait to be sent. */
  readonly outbox: { put(transaction: EntityManager, mail: FactorMail): Promise<boolean> };
  /** The verified address of an account; null: it has none, and is told nothing. */
  findEmail(accountId: string): Promise<string | null>;
}

const titles = {
  appAdded: 'An authenticator app was added to your account',
  appRemoved: 'The authenticator app was removed from your account',
  passkeyAdded: 'A passkey was added to your account',
  passkeyRemoved: 'A passkey was removed from your account',
  recoveryCodeUsed: 'A recovery code of your account was used',
  recoveryCodesRenewed: 'Your account has new recovery codes',
} as const;
const remedy =
  'If it was not you, sign in at once, change your password, end all sessions in the settings, and look at the factors there.';

export type FactorNews = keyof typeof titles;

/** Tells the owner of an account by mail what happened to its factors. */
export class FactorNotices {
  constructor(private readonly parts: FactorNoticesParts) {}

  /** @returns what writes the mail in the transaction of the change itself, so that neither is there without the other. */
  async compose(accountId: string, news: FactorNews): Promise<(transaction: EntityManager) => Promise<void>> {
    const recipient = await this.parts.findEmail(accountId);
    return async (transaction) => {
      if (recipient === null) return;
      const mail = { accountId, channel: 'email', recipient, title: titles[news] } as const;
      const subjectKey = `factor:${createId('notice')}`;
      await this.parts.outbox.put(transaction, { ...mail, subjectKey, body: `${titles[news]}. ${remedy}` });
    };
  }
}
