import type { Millicredits } from '../kernel/millicredits.js';

/** What a journal row says happened. `hold` and `released` move nothing; they record a promise and its end. */
export type TransferType = 'hold' | 'settled' | 'overage' | 'absorbed' | 'released' | 'expired' | 'purchase' | 'grant';

export type HoldState = 'open' | 'settled' | 'released' | 'expired';

/** How a call ended: in full; cut by the provider; left by its caller; failed before any output; lost with its server. */
export type CallOutcome = 'completed' | 'interrupted' | 'abandoned' | 'failed' | 'expired';

/** Who counted the tokens: the provider, ourselves, or nobody because there were none. */
export type UsageSource = 'reported' | 'estimated' | 'none';

/** The accounts on the other side of a wallet. They have no running counters: their balance is the sum of the journal. */
export const systemAccounts = {
  sales: 'sys:sales',
  grants: 'sys:grants',
  usage: 'sys:usage',
  absorbed: 'sys:absorbed',
} as const;

/** A reservation for one call. */
export interface HoldInput {
  readonly callId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The worst case of the call's cost. */
  readonly amountMillicredits: Millicredits;
  /** When less is available, all of it is held instead, if it is at least this much. At most `amountMillicredits`. */
  readonly acceptFromMillicredits: Millicredits;
}

export type HoldResult =
  | {
      readonly status: 'held';
      readonly heldMillicredits: Millicredits;
      readonly availableAfterMillicredits: Millicredits;
    }
  | {
      readonly status: 'refused';
      readonly reason: 'insufficient' | 'reserved' | 'key_revoked' | 'wallet_not_open' | 'call_already_ended';
      /** What may be spent now. */
      readonly availableMillicredits: Millicredits;
      /** What running calls hold beside it. */
      readonly pendingMillicredits: Millicredits;
    };

/** The facts of a finished call that its receipt keeps beside the money. */
export interface CallFacts {
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicreditsPerToken: Millicredits;
  readonly isStreamed: boolean;
  readonly outcome: CallOutcome;
  readonly errorCode: string | null;
  readonly finishReason: string | null;
  readonly usageSource: UsageSource;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly startedAtMs: number;
  /** From the call's arrival to the first byte of the provider's answer; null when there was none. */
  readonly firstByteMs: number | null;
  readonly totalMs: number;
}

/** The end of a hold. No tokens used means that it is released and nothing is charged. */
export interface SettleInput {
  readonly callId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly facts: CallFacts;
}

export type SettleResult =
  | {
      readonly status: 'settled';
      readonly chargedMillicredits: Millicredits;
      /** Cost that neither the hold nor the balance covered; the house pays it. */
      readonly absorbedMillicredits: Millicredits;
      readonly availableAfterMillicredits: Millicredits;
      /** The hold had been resolved before; these are the figures of that resolution and nothing was booked now. */
      readonly isReplay: boolean;
    }
  | { readonly status: 'refused'; readonly reason: 'unknown_hold' };

/**
 * A change outside the ledger that must happen in the same transaction, such as marking a purchase paid. It has to change
 * exactly one row, or nothing at all is booked. Plain SQL that both databases read alike, with `?` for the values.
 */
export interface CompanionWrite {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Credits in. */
export interface GrantInput {
  /** Made from the reason, such as `purchase:pur_…`: the same id is booked once, however often it is asked for. */
  readonly transferId: string;
  readonly type: 'purchase' | 'grant';
  readonly accountId: string;
  readonly amountMillicredits: Millicredits;
  readonly companion?: CompanionWrite;
}

export type GrantResult =
  | { readonly status: 'granted'; readonly availableAfterMillicredits: Millicredits; readonly isReplay: boolean }
  | { readonly status: 'refused'; readonly reason: 'wallet_not_open' | 'companion_changed_nothing' };
