import type { Ledger } from '../ledger/ledger.js';
import type { SettleInput, WaiveInput } from '../ledger/ledger-types.js';
import type { FundedAccount, KeyAsRead } from './lease-calls.js';

/** Any hold and any lease can be ended by anybody at any moment, as if its owner had stood still for long. */
export const endlessDoubt = { leaseMs: 60_000, graceMs: -120_000 };

export interface Instance {
  readonly name: string;
  readonly ledger: Ledger;
  /** How long it has stood still so far. */
  readonly pause: { ms: number };
}

/** A key that calls are made by; each account has one that is limited now and then, and one that never is. */
export interface UsedKey extends FundedAccount {
  readonly asRead: KeyAsRead;
}

export interface RunningCall {
  readonly callId: string;
  readonly account: FundedAccount;
  readonly held: number;
  readonly owner: Instance;
}

/** A call that runs or has ended, as somebody else names it who makes it again. */
export function toWaived(call: RunningCall | SettleInput): WaiveInput {
  return { callId: call.callId, accountId: 'account' in call ? call.account.accountId : call.accountId };
}
