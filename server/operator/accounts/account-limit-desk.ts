import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { AccountLimits, OwnLimits } from '../../limits/account-limits.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface AccountLimitDeskParts {
  readonly log: OperatorLog;
  readonly limits: Pick<AccountLimits, 'read' | 'set'>;
  /** Whether there is such an account that is not deleted. */
  readonly hasAccount: (accountId: string) => Promise<boolean>;
  /** Public names of the models that are offered now. */
  readonly listModels: () => readonly string[] | Promise<readonly string[]>;
}

const reasonLengthMax = 191;

/** Limits of single accounts. Each change stands in the operators' log, in its transaction. */
export class AccountLimitDesk {
  constructor(private readonly parts: AccountLimitDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): AccountLimitDesk {
    return new AccountLimitDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** An account that nobody has set anything for has none of its own. */
  find(accountId: string): Promise<OwnLimits> {
    return this.parts.limits.read(accountId);
  }

  /** @throws as `AccountLimits.set`; AppError `not_found`; InvalidInputError for the reason, and for a model that there is not. */
  async set(accountId: string, limits: OwnLimits, reason: string): Promise<void> {
    // What they were set to stands beside the reason, since the next change would hide it.
    const words = `${describeLimits(limits)}: ${requireReason(reason)}`.slice(0, reasonLengthMax);
    const { hasAccount, listModels, log } = this.parts;
    if (limits.models !== null) assertModels(limits.models, await listModels());
    if (!(await hasAccount(accountId)))
      throw new AppError('not_found', 'There is no such account, or it is deleted. Its id begins with acct_.');
    await this.parts.limits.set(accountId, limits, (transaction) =>
      log.write(transaction, { action: 'set_account_limits', accountId, reason: words }),
    );
  }
}

function assertModels(wanted: readonly string[], offered: readonly string[]): void {
  const unknown = wanted.find((name) => !offered.includes(name));
  if (unknown === undefined) return;
  throw new InvalidInputError(
    'models',
    `There is no model \`${unknown.slice(0, 100)}\` here. GET /models lists them by their public names.`,
  );
}

/** In a few words, for people. */
export function describeLimits(limits: OwnLimits): string {
  const { requestsPerMinute, tokensPerMinute, concurrentCalls, keysMax, models } = limits;
  const named = [
    [requestsPerMinute, 'requests a minute'],
    [tokensPerMinute, 'tokens a minute'],
    [concurrentCalls, 'calls at once'],
    [keysMax, 'keys'],
  ] as const;
  const own = named.flatMap(([limit, what]) => (limit === null ? [] : [`${limit} ${what}`]));
  if (models !== null) own.push(`the models ${models.join(', ')}`);
  return own.length === 0 ? 'the server’s limits' : own.join(', ');
}
