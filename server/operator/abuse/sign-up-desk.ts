import type { SignUpBlocks, SignUpMode } from '../../accounts/sign-up/sign-up-blocks.js';
import type { SignUpInvitation, SignUpInvitations } from '../../accounts/sign-up/sign-up-invitations.js';
import { AppError } from '../../kernel/app-error.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface SignUpDeskParts {
  readonly log: OperatorLog;
  readonly blocks: Pick<SignUpBlocks, 'findMode' | 'setMode'>;
  readonly invitations: Pick<SignUpInvitations, 'invite' | 'list' | 'withdraw'>;
  /** Whether servers send mail. */
  readonly isMailSent: boolean;
}

const reasonLengthMax = 191;

/** Whether everybody, invited people or nobody can make an account, and who is invited. Each change stands in the log, in its transaction. */
export class SignUpDesk {
  constructor(private readonly parts: SignUpDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): SignUpDesk {
    return new SignUpDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  get isMailSent(): boolean {
    return this.parts.isMailSent;
  }

  findMode() {
    return this.parts.blocks.findMode();
  }

  /** Sets it on every server at once. Accounts that there are stay. @throws InvalidInputError for the reason. */
  async setMode(mode: SignUpMode, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { blocks, log } = this.parts;
    await blocks.setMode(mode, { reason: words, createdBy: log.actor }, (transaction) =>
      log.write(transaction, { action: 'set_sign_up', subject: mode, reason: words }),
    );
  }

  /** Those that nobody has used yet, the newest first; at most 1,000. */
  listInvitations(): Promise<readonly SignUpInvitation[]> {
    return this.parts.invitations.list();
  }

  /**
   * Invites somebody to make an account with an address.
   * @returns the link, shown once and stored nowhere, unless it is mailed.
   * @throws as `SignUpInvitations.invite`; AppError `conflict` where it is to be mailed and no mail is sent; InvalidInputError for the reason.
   */
  async invite(email: string, { isMailed, reason }: { readonly isMailed: boolean; readonly reason: string }) {
    const words = requireReason(reason);
    const { invitations, isMailSent, log } = this.parts;
    if (isMailed && !isMailSent)
      throw new AppError('conflict', 'No mail is sent here: SMTP_URL is not set. Make a link, and hand it on.');
    return invitations.invite({ email, isMailed, createdBy: log.actor }, (transaction, { id, email: kept }) =>
      log.write(transaction, { action: 'invite_to_sign_up', subject: id, reason: withAddress(kept, words) }),
    );
  }

  /** Takes an invitation back: its link is worth nothing from then on. @throws as `SignUpInvitations.withdraw`; InvalidInputError for the reason. */
  async withdraw(id: string, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { invitations, log } = this.parts;
    await invitations.withdraw(id, (transaction, { email }) =>
      log.write(transaction, { action: 'withdraw_invitation', subject: id, reason: withAddress(email, words) }),
    );
  }
}

// The row goes with its use, and the log stays.
function withAddress(email: string, reason: string): string {
  return `${email}: ${reason}`.slice(0, reasonLengthMax);
}
