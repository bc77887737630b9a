import type { EntityManager } from 'typeorm';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { Balance } from '../../ledger/ledger-reader.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface AccountDeletionDeskParts {
  readonly log: OperatorLog;
  /** The address that an account signs in with; null: there is no such account, or it is deleted. */
  readonly findEmail: (accountId: string) => Promise<string | null>;
  readonly findBalance: (accountId: string) => Promise<Balance>;
  readonly deletion: {
    deleteFor(accountId: string, also: (transaction: EntityManager) => Promise<void>): Promise<void>;
  };
}

export interface AccountDeletionInput {
  readonly accountId: string;
  /** The address that it signs in with, so that nobody deletes another one by mistake. */
  readonly email: string;
  /** Whether credits that are left may be lost. */
  readonly forfeitsCredits: boolean;
  readonly reason: string;
}

/** Accounts that operators delete, as their owners can. What stands in the operators' log stays; it names nobody but by the id. */
export class AccountDeletionDesk {
  constructor(private readonly parts: AccountDeletionDeskParts) {}

  /** The same desk, whose changes stand in the log under another name. */
  by(actor: string): AccountDeletionDesk {
    return new AccountDeletionDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /**
   * Deletes an account for ever, as `AccountDeletion.delete` says.
   * @throws AppError `not_found`; `conflict` when it is the last owner of an account of others; InvalidInputError for another `email`, for the
   *   reason, and for `forfeitsCredits` when credits are left and nobody said that they may be lost.
   */
  async delete({ accountId, email, forfeitsCredits, reason }: AccountDeletionInput): Promise<void> {
    const { deletion, findBalance, findEmail, log } = this.parts;
    const words = requireReason(reason);
    const known = await findEmail(accountId);
    if (known === null) throw new AppError('not_found', 'There is no such account, or it is deleted.');
    if (email.trim().toLowerCase() !== known.toLowerCase()) {
      throw new InvalidInputError(
        'email',
        'This is not the address of the account. Write it as the account’s page has it.',
      );
    }
    const { availableMillicredits, heldMillicredits } = await findBalance(accountId);
    // Most of what running calls have reserved comes back.
    const left = toMillicredits(availableMillicredits + heldMillicredits);
    if (left > 0 && !forfeitsCredits) {
      throw new InvalidInputError(
        'forfeitsCredits',
        `The account has ${formatCredits(left)} credits, which would be lost. Refund its purchases first, or say that they may be lost.`,
      );
    }
    const deleted = deletion.deleteFor(accountId, (transaction) =>
      log.write(transaction, { action: 'delete_account', accountId, reason: words }),
    );
    await deleted.catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      // Said of somebody else, and not to whoever deletes their own.
      const advice = 'It was changed meanwhile, or its person is the last owner of an account of others.';
      throw new AppError('conflict', `${advice} Look at the members of that account first, then try again.`);
    });
  }
}
