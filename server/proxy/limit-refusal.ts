import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { formatCredits, type Millicredits } from '../kernel/millicredits.js';
import type { KeyLimitStanding } from '../ledger/ledger-types.js';

/** How a refusal speaks of a limit that begins anew by itself. */
interface LimitWords {
  readonly code: ErrorCode;
  readonly permission: string;
  /** Follows "of the 5 of". */
  readonly owner: string;
  readonly running: string;
  readonly reached: string;
  readonly remedy: string;
}

export const keyLimitWords: LimitWords = {
  code: 'key_limit_exceeded',
  permission: 'spendLimit',
  owner: "this API key's spend limit",
  running: 'its running calls',
  reached: 'This API key has reached its spend limit',
  remedy: 'Raise the limit on the dashboard\'s page "Keys"',
};

export const memberBudgetWords: LimitWords = {
  code: 'member_budget_exceeded',
  permission: 'memberBudget',
  owner: 'the monthly budget of the member who made this API key',
  running: 'running calls of their keys',
  reached: 'The member who made this API key has reached their monthly budget',
  remedy:
    'Ask an owner or admin of the account to raise the budget on the dashboard\'s page "Members", or, if that person is no member any more, to put a key of their own in the place of this one',
};

/** What neither charges nor reservations have taken of a limit. */
export function remainingOf({ limitMillicredits, spentMillicredits, pendingMillicredits }: KeyLimitStanding): number {
  return limitMillicredits - spentMillicredits - pendingMillicredits;
}

// Without credits for a single token there is nothing to lower it to.
export function adviseToAskForLess(maxAffordableTokens: number): string {
  return maxAffordableTokens > 0 ? `, or lower max_tokens to ${maxAffordableTokens}` : '';
}

/** The refusal of a call for which a limit has too little: for now, while running calls have reserved it, or until it begins anew. */
export function toLimitRefusal(
  standing: KeyLimitStanding | null | undefined,
  words: LimitWords,
  call: { readonly needed: Millicredits; readonly maxAffordableTokens: number; readonly isReserved: boolean },
): AppError {
  if (!standing) throw new Error('The limit that refused the call is missing.');
  const limit = formatCredits(standing.limitMillicredits);
  const spent = formatCredits(standing.spentMillicredits);
  const reserved = formatCredits(standing.pendingMillicredits);
  const needed = formatCredits(call.needed);
  const orAskForLess = adviseToAskForLess(call.maxAffordableTokens);
  const resetsAt = new Date(standing.resetsAtMs).toISOString();
  const metadata = {
    permission: words.permission,
    limit_credits: Number(limit),
    spent_credits: Number(spent),
    reserved_credits: Number(reserved),
    needed_credits: Number(needed),
    max_affordable_tokens: call.maxAffordableTokens,
    resets_at: resetsAt,
  };
  if (call.isReserved) {
    return new AppError(
      'credits_reserved',
      `This request needs up to ${needed} credits; of the ${limit} of ${words.owner}, ${spent} are spent and ${words.running} have reserved ${reserved}. Try again when they have finished${orAskForLess}. No billing took place.`,
      { metadata, retryAfterMs: 2_000 },
    );
  }
  return new AppError(
    words.code,
    `${words.reached}: of ${limit} credits, ${spent} are spent and ${reserved} reserved by running calls, and this request needs up to ${needed}. It begins anew at ${resetsAt}. ${words.remedy}${orAskForLess}. No billing took place.`,
    { metadata },
  );
}
