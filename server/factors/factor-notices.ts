import type { EntityManager } from 'typeorm';
import { createId } from '../kernel/ids.js';
import type { LinkMail, Mail } from '../kernel/texts/mail.js';

export interface FactorNoticesParts {
  /** Where mails wait to be sent. */
  readonly outbox: { put(transaction: EntityManager, mail: Mail | LinkMail): Promise<boolean> };
  /** The verified address of an account; null: it has none, and is told nothing. */
  findEmail(accountId: string): Promise<string | null>;
}

const titles = {
  appAdded: 'An authenticator app was added to your account',
  appRemoved: 'The authenticator app was removed from your account',
  passkeyAdded: 'A passkey was added to your account',
  passkeyRemoved: 'A passkey was removed from your account',
  identityLinked: 'Another way to sign in was linked to your account',
  identityUnlinked: 'A way to sign in was unlinked from your account',
  recoveryCodeUsed: 'A recovery code of your account was used',
  recoveryBegun: 'All second factors of your account will be removed in 72 hours',
  recoveryDone: 'All second factors were removed from your account',
  recoveryCodesRenewed: 'Your account has new recovery codes',
} as const;
const remedy =
  'If it was not you, sign in at once, cancel anything that is pending in the settings, change your password, end all sessions and check your second factors.';

export type FactorNews = keyof typeof titles;

/** Tells the owner of an account by mail what happened to its factors. */
export class FactorNotices {
  constructor(private readonly parts: FactorNoticesParts) {}

  /** A mail that ends in a secret link. @returns null when the account has no verified address; else as `compose`. */
  async composeLink(accountId: string, linkId: string) {
    const recipient = await this.parts.findEmail(accountId);
    if (recipient === null) return null;
    return async (transaction: EntityManager): Promise<void> => {
      const mail = { accountId, channel: 'email', recipient, linkId } as const;
      const title = 'Regain access to your account';
      const body =
        'Somebody who knows your password, hopefully you, says that all second factors of your account are lost. Open this link within 24 hours and press the button there. 72 hours later you can sign in with your password alone. If it was not you, do not open the link, and change your password.';
      await this.parts.outbox.put(transaction, { ...mail, subjectKey: `factor-link:${linkId}`, title, body });
    };
  }

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
