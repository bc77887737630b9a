import type { Millicredits } from '../../kernel/millicredits.js';
import type { CallFacts } from '../ledger-types.js';

/**
 * `open`: calls are let in against it. `recalled`: another process wants it back, and its own has not read that yet. `draining`: its
 * process lets no more calls in against it. `ended`: what was spent is in the journal, and the rest is back.
 */
export type LeaseState = 'open' | 'recalled' | 'draining' | 'ended';

/** Stands where the id of a key would on the hold of a lease. No key has such an id. */
export const leaseKeyId = 'lease';

/** Sets credits of a wallet aside for many calls of one process. */
export interface LeaseInput {
  readonly leaseId: string;
  readonly accountId: string;
  /** How much is wanted; at most a quarter of what is available is given. */
  readonly amountMillicredits: Millicredits;
  /** Less than this is of no use. */
  readonly acceptFromMillicredits: Millicredits;
  /** Whose calls it is for, where their key has a spend limit; left out: those of all other keys. */
  readonly key?: LimitedKey;
}

/** A key with a spend limit. What is leased for it is at most a quarter of what is left of its limit, too, and counts there. */
export interface LimitedKey {
  readonly keyId: string;
  /** The key must stand at this revision. */
  readonly keyRevision: number;
  /** When one of the calls began: the lease is for those of the same period. */
  readonly startedAtMs: number;
}

/** From its first millisecond to before its end. */
export interface LeaseSpan {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export type LeaseResult =
  | {
      readonly status: 'leased';
      readonly amountMillicredits: number;
      readonly availableAfterMillicredits: Millicredits;
      /** The period of the key's limit; null: it is for no limited key, or that limit is none any more. */
      readonly keySpan: LeaseSpan | null;
    }
  | { readonly status: 'refused'; readonly reason: 'insufficient' | 'wallet_not_open' | 'key_limit' | 'key_changed' };

/** Keeps a lease for another while, and says what its process has reserved of it. */
export interface RenewLeaseInput {
  readonly leaseId: string;
  readonly accountId: string;
  readonly reservedMillicredits: Millicredits;
  /** No more calls are let in against it. */
  readonly isDraining: boolean;
}

export type RenewLeaseResult =
  | { readonly status: 'lease_renewed'; readonly isRecalled: boolean }
  | { readonly status: 'refused'; readonly reason: 'not_open' };

export interface EndLeaseInput {
  readonly leaseId: string;
  readonly accountId: string;
}

/** Also for a lease that had ended before. */
export type EndLeaseResult = { readonly status: 'lease_ended'; readonly availableAfterMillicredits: Millicredits };

/** Asks the other processes for what they have leased of a wallet. */
export interface RecallInput {
  readonly accountId: string;
  /** Only what is leased for this key; left out: everything. */
  readonly keyId?: string;
}

/** How many leases of other processes may still let calls in. */
export type RecallResult = { readonly status: 'recalled'; readonly pendingRecalls: number };

/** Gives a call that runs for long a hold of its own, beside its lease, so that what it has used is written down. */
export interface PromoteInput {
  readonly callId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly facts: CallFacts;
  readonly amountMillicredits: Millicredits;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type PromoteResult =
  | { readonly status: 'promoted'; readonly availableAfterMillicredits: Millicredits }
  /** It stays with its lease; or it has ended. */
  | { readonly status: 'refused'; readonly reason: 'insufficient' | 'call_already_ended' };

/** What a settlement says of a call that was let in by a lease. */
export interface LeasedCall {
  readonly leaseId: string;
  readonly keyId: string;
  readonly facts: CallFacts;
  /** How much of the lease is set aside for it. */
  readonly coveredMillicredits: number;
}

/** A lease of a wallet as a commit has left it. */
export interface OpenLease {
  readonly leaseId: string;
  readonly accountId: string;
  readonly instance: string;
  /** The limited key that it is for; null: none. */
  readonly keyId: string | null;
  /** What is neither spent nor, by the last renewal, reserved. */
  readonly unreservedMillicredits: number;
}

/** What a commit has left of a key's spend limit. */
export interface KeyRoom {
  readonly accountId: string;
  readonly keyId: string;
  /** When the period began. */
  readonly startsAtMs: number;
  /** Less than zero when the limit was lowered below what the key had spent. */
  readonly leftMillicredits: number;
}
