import type { Millicredits } from '../kernel/millicredits.js';
import type { CompanionWrite } from './companion-write.js';
import type { LeftAfter } from './divide-balance.js';
import type { LeasedCall } from './leases/lease-types.js';

/** What a journal row says happened. `hold` and `released` move nothing; they record a promise and its end. */
export type TransferType =
  | 'hold'
  | 'settled'
  | 'overage'
  | 'absorbed'
  | 'released'
  | 'expired'
  | 'late'
  | GrantType
  | ReversalType;

/** Credits in: bought, given, given back after a dispute was won, or put right by the operator. */
export type GrantType = 'purchase' | 'grant' | 'dispute_reversal' | 'adjustment';

/** Credits that are taken back although they may be spent already: the only ways into debt. */
export type ReversalType = 'refund' | 'dispute' | 'adjustment';

/**
 * Why a wallet is frozen: a buyer's bank runs a dispute, the auditor found it broken, or the operator said so. Each is ended by
 * whoever began it; a wallet is open when none is left.
 */
export type FreezeReason = 'audit' | 'dispute' | 'operator';

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
  refunds: 'sys:refunds',
  disputes: 'sys:disputes',
  adjustments: 'sys:adjustments',
} as const;

/** What is known of a call before it is sent. The price is frozen here: a change of prices does not touch running calls. */
export interface CallFacts {
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicreditsPerToken: Millicredits;
  /** Per mille of that price which the account pays, 1 to 100,000; left out: 1,000. */
  readonly priceMultiplier?: number;
  readonly isStreamed: boolean;
  readonly startedAtMs: number;
}

/** A reservation for one call. */
export interface HoldInput {
  readonly callId: string;
  readonly accountId: string;
  /** The key that asks, which must be in force; `playgroundKeyId` when its owner asks signed in, without a key. */
  readonly keyId: string;
  /** The revision of the key by which the call was let in; without it the hold does not ask whether the key has changed. */
  readonly keyRevision?: number;
  /** The key has a spend limit, in which the call is counted before it is let in. */
  readonly isKeyLimited?: boolean;
  /** Whoever made the key has a budget, which is kept by a committed hold alone: no lease lets the call in. */
  readonly isMakerBudgeted?: boolean;
  /** When the key ends by itself; null, or left out: never. */
  readonly keyExpiresAtMs?: number | null;
  readonly facts: CallFacts;
  /** The worst case of the call's cost. */
  readonly amountMillicredits: Millicredits;
  /** When less is available, all of it is held instead, if it is at least this much. At most `amountMillicredits`. */
  readonly acceptFromMillicredits: Millicredits;
  /**
   * Where the key has a spend limit, or its maker a budget: no more than an eighth of what is left of it is held, so that calls beside this one find
   * room, but at least this much if it is left. Left out: as much as the call asks for.
   */
  readonly enoughMillicredits?: Millicredits;
}

export type HoldResult =
  | {
      readonly status: 'held';
      readonly heldMillicredits: Millicredits;
      readonly availableAfterMillicredits: Millicredits;
    }
  | {
      readonly status: 'refused';
      readonly reason: HoldRefusal;
      /** What may be spent now, as far as the wallet goes. */
      readonly availableMillicredits: Millicredits;
      /** What the wallet has, reservations not taken off; less than 0 is owed. */
      readonly balanceMillicredits: Millicredits;
      /** How the key stands; null where it has no spend limit. */
      readonly keyLimit: KeyLimitStanding | null;
      /** How the budget of whoever made the key stands; left out: they have none. */
      readonly memberBudget?: KeyLimitStanding;
      /** Why the wallet is frozen, if it is. */
      readonly frozenFor?: readonly FreezeReason[];
    };

/** One provider that was asked in the course of a call. */
export interface CallAttempt {
  readonly provider: string;
  readonly upstreamModel: string;
  /** The HTTP status of its answer; null when none came, or when the provider lives in this process. */
  readonly status: number | null;
  /** null: it answered, or the caller left first. */
  readonly errorCode: string | null;
  /** From the arrival of the call to its beginning: by then its credits were reserved. Left out by receipts from before this was written down. */
  readonly startMs?: number;
  readonly durationMs: number;
}

/**
 * Why a hold was refused: the wallet has too little, or has it reserved; the key was revoked or has expired, has changed since
 * the call was let in, has not enough left of its spend limit, or has it reserved for running calls; likewise the budget of
 * whoever made the key; no calls at all; or this very call has ended before.
 */
export type HoldRefusal =
  | 'insufficient'
  | 'reserved'
  | 'key_revoked'
  | 'key_changed'
  | 'key_limit'
  | 'key_limit_reserved'
  | 'member_budget'
  | 'member_budget_reserved'
  | 'wallet_not_open'
  | 'call_already_ended';

/** A key's spend limit, or a member's budget, in the period in which a call began. */
export interface KeyLimitStanding {
  readonly limitMillicredits: Millicredits;
  readonly spentMillicredits: Millicredits;
  readonly pendingMillicredits: Millicredits;
  readonly resetsAtMs: number;
}

/** What an estimate is made of, in tokens; the first two are the prompt, the others the answer. */
export interface EstimateParts {
  readonly promptTokens: number;
  readonly imageTokens: number;
  readonly visibleTokens: number;
  readonly reasoningTokens: number;
}

/** How a call ended and what it used. */
export interface CallEnding {
  readonly outcome: CallOutcome;
  /** Who answered in the end; another than the hold's when the call fell back. */
  readonly provider: string;
  /** Every provider that was asked, in order; left out where that is not known. */
  readonly attempts?: readonly CallAttempt[];
  readonly errorCode: string | null;
  readonly finishReason: string | null;
  readonly usageSource: UsageSource;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Left out, or null: it is no estimate, or nobody knows. */
  readonly estimateParts?: EstimateParts | null;
  /** From the call's arrival to the first byte of the provider's answer; null when there was none. */
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** What the caller marked the call with, at most 64 characters each; left out, or null: nothing. */
  readonly tag?: string | null;
  readonly endUser?: string | null;
  /** Of the prompt, what the provider read from its cache; of the answer, what was reasoned. Left out, or null: nobody told. */
  readonly cachedTokens?: number | null;
  readonly reasoningTokens?: number | null;
}

/** The end of a hold. No tokens used means that it is released and nothing is charged. */
export interface SettleInput {
  readonly callId: string;
  readonly accountId: string;
  readonly ending: CallEnding;
  /** Filled in by the ledger for a call that a lease has let in. */
  readonly lease?: LeasedCall;
}

export type SettleResult =
  | (LeftAfter & {
      readonly status: 'settled';
      readonly chargedMillicredits: Millicredits;
      /** Cost that neither the hold nor the balance covered; the operator pays it. */
      readonly absorbedMillicredits: Millicredits;
      /** The hold had been settled before; these are the figures of that resolution and nothing was booked now. */
      readonly isReplay: boolean;
      /** What of it came out of a lease; left out where there is none. */
      readonly leasedMillicredits?: number;
      /** The lease that had let the call in, where the books say that it has ended: nothing more is to be had of it. */
      readonly endedLeaseId?: string;
    })
  /** The database did not take it; the settlement is on this machine's disk and will be booked. */
  | { readonly status: 'kept' }
  /** The ledger has refused it, and it waits on this machine's disk for the operator to book or dismiss it. */
  | { readonly status: 'quarantined'; readonly reason: SettlementRefusal }
  | { readonly status: 'refused'; readonly reason: SettlementRefusal };

/** There is no such hold; or what was to be written broke a constraint of the database. */
export type SettlementRefusal = 'unknown_hold' | 'constraint';

/** Credits in. */
export interface GrantInput {
  /** Made from the reason, such as `purchase:pur_…`: the same id is booked once, however often it is asked for. */
  readonly transferId: string;
  readonly type: GrantType;
  readonly accountId: string;
  readonly amountMillicredits: Millicredits;
  readonly companion?: CompanionWrite;
}

/** Credits taken back. The balance may fall below zero by this; then nothing more can be called until it is paid up. */
export interface ReversalInput {
  /** Made from the reason, such as `refund:pur_…:re_…`: the same id is booked once. */
  readonly transferId: string;
  readonly type: ReversalType;
  readonly accountId: string;
  readonly amountMillicredits: Millicredits;
  readonly companion?: CompanionWrite;
}

/**
 * Stops a wallet from making new calls for a reason, takes that reason back, or closes the wallet. Running calls are settled
 * in any case.
 */
export type WalletStateInput = FreezeInput | CloseInput;

export interface FreezeInput {
  readonly accountId: string;
  /** `open`: as far as this reason goes. The wallet stays frozen while there is another one. */
  readonly state: 'open' | 'frozen';
  readonly reason: FreezeReason;
  /** Further reasons that the same is done for. */
  readonly also?: readonly FreezeReason[];
  readonly companion?: CompanionWrite;
}

export interface CloseInput {
  readonly accountId: string;
  /** For good: the wallet is closed when its last running call has ended. */
  readonly state: 'closing';
}

export type WalletStateResult =
  /** `pendingRecalls`: how many leases of other processes may still let calls in; left out: none. */
  | { readonly status: 'changed'; readonly pendingRecalls?: number }
  | { readonly status: 'refused'; readonly reason: 'wallet_not_open' | 'companion_changed_nothing' };

export type GrantResult =
  | (LeftAfter & {
      readonly status: 'granted';
      readonly isReplay: boolean;
      /** As of a change of the wallet's state. */
      readonly pendingRecalls?: number;
    })
  | { readonly status: 'refused'; readonly reason: 'wallet_not_open' | 'wallet_full' | 'companion_changed_nothing' };

/** A sign of life of a running call: its hold is kept, and what it has used so far is written down. */
export interface RenewInput {
  readonly callId: string;
  readonly accountId: string;
  /** Used so far; charged if this process dies. 0 until the provider has answered with success. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type RenewResult = { readonly status: 'renewed' } | { readonly status: 'refused'; readonly reason: 'not_open' };

/** A hold whose lease has run out: the process that ran its call is gone. */
export interface ExpiredHold {
  readonly callId: string;
  readonly accountId: string;
  /** Whoever asks knows that the process of the hold has ended, so it is over whatever its lease says. */
  readonly isOwnerGone?: boolean;
}

/** A call of whose process nothing is heard, and that somebody else is about to make again. */
export type WaiveInput = ExpiredHold;

/** `waived`: it costs nothing, for ever. `running`: it still holds credits, or nothing could be written down. */
export interface WaiveResult {
  readonly status: 'waived' | 'charged' | 'running';
}
