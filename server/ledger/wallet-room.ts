import type { EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { millicreditsMax } from '../kernel/millicredits.js';
import type { GrantInput, ReversalInput } from './ledger-types.js';
import type { WalletRow } from './tables/ledger-rows.js';

/*
 * `credits_posted` and `debits_posted` of a wallet only grow, and the tables take no more than `millicreditsMax` of each. What is given or
 * begun to be bought therefore ends before that, and what is owed always fits: a purchase that was paid, and what comes back of it. Use
 * never reaches the bound: it is charged out of credits, so its sum is at most theirs.
 */

/** All that was ever put into a wallet, 8 billion dollars: at a million dollars a day reached after 21 years, for one account. */
const postedMillicreditsMax = 8_000_000_000_000_000;
/** What a wallet has, a hundred million dollars: a tenth of what every program reads exactly as a JSON number. */
const balanceMillicreditsMax = 100_000_000_000_000;

type Totals = Pick<WalletRow, 'credits_posted' | 'debits_posted'>;

/** Whether so much may be given to a wallet, or bought for it. */
function hasRoomToGive({ credits_posted, debits_posted }: Totals, amountMillicredits: number): boolean {
  const posted = credits_posted + amountMillicredits;
  return posted <= postedMillicreditsMax && posted - debits_posted <= balanceMillicreditsMax;
}

/** Whether the books can take it: what is owed always, for all that any account will ever be sold. */
export function hasRoomForGrant(wallet: Totals, input: GrantInput): boolean {
  return isOwed(input)
    ? wallet.credits_posted + input.amountMillicredits <= millicreditsMax
    : hasRoomToGive(wallet, input.amountMillicredits);
}

/** As `hasRoomForGrant`, for what is taken back. */
export function hasRoomForReversal(wallet: Totals, { type, amountMillicredits }: ReversalInput): boolean {
  const max = type === 'adjustment' ? postedMillicreditsMax : millicreditsMax;
  return wallet.debits_posted + amountMillicredits <= max;
}

/** Whether a purchase of so much may be begun, so that its credits fit once it is paid. A wallet that there is not has no room. */
export async function hasRoomToBuy(
  reader: EntityManager,
  accountId: string,
  amountMillicredits: number,
): Promise<boolean> {
  const [row] = await reader.query(
    "SELECT credits_posted, debits_posted FROM ledger_account WHERE id = ? AND kind = 'wallet'",
    [accountId],
  );
  if (row === undefined) return false;
  const totals = { credits_posted: Number(row.credits_posted), debits_posted: Number(row.debits_posted) };
  return hasRoomToGive(totals, amountMillicredits);
}

/** What is said where the books refuse credits with `wallet_full`. */
export function walletFull(): AppError {
  const words =
    'This account cannot take these credits: one account has at most 100,000,000,000 credits, and is given at most 8,000,000,000,000 in all.';
  return new AppError('conflict', words);
}

/** Whether credits come in for money: what was paid, and what of it comes back. A refund that failed is booked as a correction, known by its id. */
export function isOwed({ type, transferId }: GrantInput): boolean {
  if (type === 'adjustment') return transferId.startsWith('refund:');
  return type === 'purchase' || type === 'dispute_reversal';
}
