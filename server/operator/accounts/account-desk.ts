import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { ApiKey } from '../../kernel/api-key.js';
import { AppError } from '../../kernel/app-error.js';
import { createId } from '../../kernel/ids.js';
import { type Millicredits, requireNamedAmount } from '../../kernel/millicredits.js';
import type { ApiKeyService } from '../../keys/api-key-service.js';
import type { SideWrite } from '../../ledger/companion-write.js';
import { divideBalance } from '../../ledger/divide-balance.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { FreezeInput, GrantResult } from '../../ledger/ledger-types.js';
import { walletFull } from '../../ledger/wallet-room.js';
import type { CreditDirection } from '../money/credit-request.entity.js';
import { findMoveId, toTransferId } from '../money/move-names.js';
import type { OperatorCompanion, OperatorLog } from '../operator-log.js';

export interface AccountDeskParts {
  readonly ledger: Pick<Ledger, 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly keys: Pick<ApiKeyService, 'revokeKey'>;
  readonly log: OperatorLog;
  readonly unitOfWork: Pick<UnitOfWork, 'reader'>;
  /** What is written in the transaction that takes credits back, so that nothing charges a card because of it. */
  findTakeBackWrites(
    taken: Pick<CreditChange, 'accountId' | 'amountMillicredits'> & { readonly eventId: string },
  ): Promise<readonly SideWrite[]>;
}

/** Credits that an operator gives or takes back. */
export interface CreditChange {
  readonly accountId: string;
  readonly amountMillicredits: Millicredits;
  /** Stands in the operator's log, which the account's owner does not see. */
  readonly reason: string;
  /** A word of the operator's own: the same again, for the same account, moves nothing, whoever says it and wherever. Left out: each time is a new one. */
  readonly once?: string;
  /** What it is known by, for who has looked for it already. Left out: by `once`. */
  readonly moveId?: string;
}

/**
 * What an operator changes about an account by hand. Each change stands in the operator's log, by the very transaction that makes it.
 */
export class AccountDesk {
  constructor(private readonly parts: AccountDeskParts) {}

  /** The same desk, whose changes stand in the log under another name. */
  by(actor: string): AccountDesk {
    return new AccountDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** Gives credits. @throws AppError `not_found`, `invalid_value` for the amount or the reason, `conflict` for a full wallet, `service_unavailable`. */
  async grant(change: CreditChange): Promise<GrantResult & { status: 'granted' }> {
    const { ledger, log } = this.parts;
    const { accountId, amountMillicredits } = change;
    requireMovable(amountMillicredits);
    const companion = log.toCompanion({ ...change, action: 'grant' });
    const transferId = await this.#nameTransfer('grant', change);
    const grant = { transferId, type: 'grant', accountId, amountMillicredits } as const;
    return this.#requireGranted(await ledger.grantCredits({ ...grant, companion }), companion);
  }

  /** Takes credits back; what is not there any more becomes a debt that the next credits repay. @throws as `grant`. */
  async takeBack(change: CreditChange): Promise<GrantResult & { status: 'granted' }> {
    const { ledger, log } = this.parts;
    const { accountId, amountMillicredits } = change;
    requireMovable(amountMillicredits);
    const logged = log.toCompanion({ ...change, action: 'take_back' });
    const { eventId } = logged;
    const also = await this.parts.findTakeBackWrites({ accountId, amountMillicredits, eventId });
    const companion = { ...logged, also };
    const transferId = await this.#nameTransfer('take_back', change);
    const reversal = { transferId, type: 'adjustment', accountId, amountMillicredits } as const;
    return this.#requireGranted(await ledger.reverseGrant({ ...reversal, companion }), companion);
  }

  /** Lets no new call of the account begin; running ones are settled. @throws AppError `not_found`, `invalid_value`. */
  async freeze(accountId: string, reason: string): Promise<void> {
    const companion = this.parts.log.toCompanion({ action: 'freeze', accountId, reason });
    await this.#setState({ accountId, state: 'frozen', reason: 'operator', companion });
  }

  /** Takes back a freeze of the operator and of the auditor; a running dispute keeps the account frozen. @throws as `freeze`. */
  async open(accountId: string, reason: string): Promise<void> {
    const companion = this.parts.log.toCompanion({ action: 'open', accountId, reason });
    await this.#setState({ accountId, state: 'open', reason: 'operator', also: ['audit'], companion });
  }

  /** Ends a key for ever. Once this has answered, no server lets it in. @throws AppError `not_found`, `invalid_value`. */
  async revokeKey(owner: { accountId: string; keyId: string }, reason: string): Promise<ApiKey> {
    const { keys, log } = this.parts;
    const change = { action: 'revoke_key', accountId: owner.accountId, subject: owner.keyId, reason } as const;
    return keys.revokeKey(owner, (transaction) => log.write(transaction, change));
  }

  async #nameTransfer(direction: CreditDirection, { accountId, once, moveId }: CreditChange): Promise<string> {
    const { reader } = this.parts.unitOfWork;
    const named = once === undefined ? createId('operatorEvent') : findMoveId(reader, { direction, accountId, once });
    return toTransferId({ direction, accountId, moveId: moveId ?? (await named) });
  }

  async #setState({ companion, ...input }: FreezeInput & { companion: OperatorCompanion }): Promise<void> {
    const { ledger, log } = this.parts;
    const result = await ledger.setWalletState({ ...input, companion });
    if (result.status !== 'refused') return;
    if (result.reason !== 'companion_changed_nothing') throw noSuchAccount();
    await log.requireWritten(companion);
    // Its line stands there already: done before, by a commit whose answer was lost. Who serves is to hear of it all the same.
    if ((await ledger.setWalletState(input)).status === 'refused') throw noSuchAccount();
  }

  // What is available then is told, and what is only reserved of it is not owed.
  async #requireGranted(result: GrantResult, companion: OperatorCompanion) {
    if (result.status === 'granted') {
      const { balanceAfterMillicredits: balance, availableAfterMillicredits: available } = result;
      const { availableMillicredits } = divideBalance(balance, balance - available);
      return { ...result, availableAfterMillicredits: availableMillicredits };
    }
    if (result.reason === 'companion_changed_nothing') await this.parts.log.requireWritten(companion);
    throw result.reason === 'wallet_full' ? walletFull() : noSuchAccount();
  }
}

/** @throws InvalidInputError for more credits than are moved by hand at once. */
export function requireMovable(amountMillicredits: number): void {
  requireNamedAmount(amountMillicredits, { name: 'credits', words: 'What is moved at once', least: 1 });
}

function noSuchAccount(): AppError {
  return new AppError(
    'not_found',
    'There is no such account, or it is deleted. Find it by its e-mail address, or with: account find <e-mail or id>',
  );
}
