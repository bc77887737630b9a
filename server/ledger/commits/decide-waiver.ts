import { toMillicredits } from '../../kernel/millicredits.js';
import { systemAccounts, type WaiveInput, type WaiveResult } from '../ledger-types.js';
import type { WalletRow } from '../tables/ledger-rows.js';
import { makeHold } from './make-rows.js';
import { availableIn, type WorkingBooks } from './working-books.js';

/** Stands where a hold names the key, model, provider and tier of its call, and nobody knows them. */
const unknownFact = 'waived';
/** The least that a hold can be. */
const holdMillicreditsMin = 1;

/**
 * Makes it final that a call costs nothing, of whose process nothing is heard: whatever that one asks for it later, it finds it
 * ended. A call that holds credits or was charged is left as it is. For a call without a hold, one that nobody placed or that a
 * lease has let in, a hold of one millicredit is placed and given back, so that none can be placed or settled any more; where
 * the wallet has not even that available, it is answered as running.
 */
export function decideWaiver({ callId, accountId }: WaiveInput, instance: string, books: WorkingBooks): WaiveResult {
  const wallet = books.findWallet(accountId);
  // Without a wallet nothing can be charged, neither now nor later.
  if (!wallet) return { status: 'waived' };
  const hold = books.findHold(callId);
  if (hold && (hold.state === 'open' || hold.wallet !== accountId)) return { status: 'running' };
  const record = books.findCallRecord(callId);
  if ((record?.charged_millicredits ?? hold?.posted ?? 0) > 0) return { status: 'charged' };
  // Its process may come back with the true figure, which is charged late, unless that was booked.
  if (hold?.state === 'expired' && !books.isBooked(`${callId}:late`)) books.chargeBalance(wallet, hold, 'late', 0);
  if (hold || record) return { status: 'waived' };
  if (availableIn(wallet) < holdMillicreditsMin) return { status: 'running' };
  placeAndGiveBack(callId, wallet, instance, books);
  return { status: 'waived' };
}

function placeAndGiveBack(callId: string, wallet: WalletRow, instance: string, books: WorkingBooks): void {
  const price = { millicreditsPerToken: toMillicredits(1), isStreamed: false, startedAtMs: books.nowMs };
  const facts = { model: unknownFact, provider: unknownFact, tier: unknownFact, ...price };
  const call = { callId, accountId: wallet.id, keyId: unknownFact, facts };
  const hold = makeHold(call, { amount: holdMillicreditsMin, instance, leaseUntilMs: books.nowMs, spendPeriod: null });
  wallet.debits_pending += hold.amount;
  books.addHold(hold);
  const parties = { from: wallet.id, to: systemAccounts.usage };
  books.book(wallet, { id: hold.id, type: 'hold', ...parties, amount: hold.amount, holdId: hold.id });
  books.resolveHold(hold, wallet, 'released', 0);
}
