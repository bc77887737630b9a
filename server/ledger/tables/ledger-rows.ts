import type { KeyRow, KeySpendRow } from '../key-spend/key-spend-rows.js';
import type { MemberSpendRow } from '../key-spend/member-spend-books.js';
import type {
  EndLeaseInput,
  LeaseInput,
  LeaseState,
  PromoteInput,
  RecallInput,
  RenewLeaseInput,
} from '../leases/lease-types.js';
import type {
  CallOutcome,
  ExpiredHold,
  GrantInput,
  HoldInput,
  HoldState,
  RenewInput,
  ReversalInput,
  SettleInput,
  TransferType,
  UsageSource,
  WaiveInput,
  WalletStateInput,
} from '../ledger-types.js';

/*
 * Rows as the database spells them, and what one batch reads and writes. Money is a plain number here: it comes out of
 * integer columns and is checked when it leaves `decideBatch`.
 */

export interface WalletRow {
  readonly id: string;
  state: 'open' | 'frozen' | 'closing' | 'closed';
  /** The reasons of a frozen wallet, in the order of the alphabet with commas between them; null: none. */
  frozen_for: string | null;
  credits_posted: number;
  debits_posted: number;
  debits_pending: number;
  debt: number;
  seq: number;
}

export interface HoldRow {
  readonly id: string;
  readonly wallet: string;
  readonly key_id: string;
  readonly amount: number;
  state: HoldState;
  posted: number;
  progress_prompt_tokens: number;
  progress_completion_tokens: number;
  lease_until_ms: number;
  readonly instance: string;
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicredits_per_token: number;
  readonly is_streamed: number;
  readonly started_at_ms: number;
  /** The period of the key's spend limit in which it counts; null: none. */
  spend_period: string | null;
  /** Per mille of the list price; null: 1,000. */
  readonly price_multiplier: number | null;
}

export interface LeaseRow {
  readonly id: string;
  readonly wallet: string;
  readonly instance: string;
  readonly amount: number;
  spent: number;
  calls: number;
  reserved: number;
  state: LeaseState;
  /** The limited key whose calls alone it lets in, and the period in which it counts; null: none. */
  readonly key_id: string | null;
  spend_period: string | null;
}

export interface TransferRow {
  readonly wallet: string;
  readonly wallet_seq: number;
  readonly id: string;
  readonly type: TransferType;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly amount: number;
  readonly available_after: number;
  readonly posted_after: number;
  readonly hold_id: string | null;
  readonly resolves: string | null;
  readonly at_ms: number;
}

export interface CallRecordRow {
  readonly call_id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly provider: string;
  readonly tier: string;
  readonly millicredits_per_token: number;
  readonly is_streamed: number;
  readonly outcome: CallOutcome;
  readonly error_code: string | null;
  readonly finish_reason: string | null;
  readonly usage_source: UsageSource;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly held_millicredits: number;
  readonly charged_millicredits: number;
  readonly absorbed_millicredits: number;
  readonly started_at_ms: number;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
  /** JSON of `CallAttempt[]`. */
  readonly attempts: string | null;
  /** JSON of `EstimateParts`. */
  readonly estimate_parts: string | null;
  readonly tag: string | null;
  readonly end_user: string | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly lease: string | null;
  readonly balance_after: number | null;
  readonly price_multiplier: number | null;
}

/** What one account used in one hour, by key, model and provider: the sum of the receipts, so that reports need not read them. */
export interface UsageHourRow {
  readonly account_id: string;
  /** The beginning of the hour in which the calls began, in milliseconds since 1970-01-01 UTC. */
  readonly hour_ms: number;
  readonly key_id: string;
  readonly model: string;
  readonly provider: string;
  calls: number;
  failed_calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  charged_millicredits: number;
  absorbed_millicredits: number;
  /** Of how many of the calls the two below are summed. */
  told_calls: number;
  cached_tokens: number;
  reasoning_tokens: number;
}

/** One thing asked of the ledger. `void` undoes a hold that nobody will use: the caller left before anything was sent. */
export type LedgerOperation =
  | { readonly kind: 'hold'; readonly input: HoldInput; readonly instance: string }
  | { readonly kind: 'settle'; readonly input: SettleInput }
  | { readonly kind: 'void'; readonly input: { readonly callId: string; readonly accountId: string } }
  | { readonly kind: 'renew'; readonly input: RenewInput }
  | { readonly kind: 'expire'; readonly input: ExpiredHold }
  | { readonly kind: 'waive'; readonly input: WaiveInput; readonly instance: string }
  | { readonly kind: 'grant'; readonly input: GrantInput }
  | { readonly kind: 'reversal'; readonly input: ReversalInput; readonly instance: string }
  | { readonly kind: 'wallet_state'; readonly input: WalletStateInput; readonly instance: string }
  | { readonly kind: 'lease'; readonly input: LeaseInput; readonly instance: string }
  | { readonly kind: 'renew_lease'; readonly input: RenewLeaseInput }
  | { readonly kind: 'end_lease'; readonly input: EndLeaseInput }
  | { readonly kind: 'recall'; readonly input: RecallInput; readonly instance: string }
  | { readonly kind: 'promote'; readonly input: PromoteInput; readonly instance: string };

/** The call that an operation is about; null for one about the wallet alone. */
export function callIdOf({ input }: LedgerOperation): string | null {
  return 'callId' in input ? input.callId : null;
}

/** The hold that an operation is about: a call's, or that of a lease. */
export function holdIdOf(operation: LedgerOperation): string | null {
  return 'leaseId' in operation.input ? operation.input.leaseId : callIdOf(operation);
}

/** The key on whose standing an operation depends, and the moment for which its limit counts; null: none. */
export function keyOf({ kind, input }: LedgerOperation): { readonly keyId: string; readonly atMs: number } | null {
  if (kind === 'hold' || kind === 'promote') return { keyId: input.keyId, atMs: input.facts.startedAtMs };
  return kind === 'lease' && input.key ? { keyId: input.key.keyId, atMs: input.key.startedAtMs } : null;
}

/** The journal rows by whose presence an operation is known to have been booked before, besides its hold. */
export function transferIdsOf({ kind, input }: LedgerOperation): string[] {
  if (kind === 'grant' || kind === 'reversal') return [input.transferId];
  return kind === 'settle' || kind === 'waive' ? [`${input.callId}:late`] : [];
}

/** The call of a settlement that a lease has let in, as far as whoever settles it knows; null: none. */
export function leasedCallOf({
  kind,
  input,
}: LedgerOperation): { readonly callId: string; readonly keyId: string; readonly leaseId: string } | null {
  if (kind !== 'settle' || !input.lease) return null;
  return { callId: input.callId, keyId: input.lease.keyId, leaseId: input.lease.leaseId };
}

/** What a batch needs to know, read under the lock of its wallets. */
export interface BatchSnapshot {
  /** The database's own clock. */
  readonly nowMs: number;
  /** The last hour of use that is summed over all accounts, or is about to be, whatever the clock says now; null: none. */
  readonly summedHourMs: number | null;
  /** The last hour of the journal that is summed, whatever the clock says now; null: none. */
  readonly summedJournalHourMs: number | null;
  readonly wallets: ReadonlyMap<string, WalletRow>;
  readonly holds: ReadonlyMap<string, HoldRow>;
  /** All leases of these wallets that have not ended. */
  readonly leases: ReadonlyMap<string, LeaseRow>;
  /** Of the leases that had let these calls in, those of which receipts were removed because of their age. */
  readonly sealedLeaseIds: ReadonlySet<string>;
  /** Receipts of the calls whose holds were resolved before. */
  readonly callRecords: ReadonlyMap<string, CallRecordRow>;
  readonly bookedTransferIds: ReadonlySet<string>;
  /** The keys on which these operations depend, however they stand. */
  readonly keys: ReadonlyMap<string, KeyRow>;
  /** By `keySpendName`: the counters of the limited keys among them, and of the holds and leases that count in one. */
  readonly keySpends: ReadonlyMap<string, KeySpendRow>;
  /** Those counters that the database does not have yet. */
  readonly newCounterNames: ReadonlySet<string>;
  /** Holds that were open before their key's counter was, and from now on count in it. */
  readonly newlyCountedHoldIds: ReadonlySet<string>;
  /** Likewise leases, of a key whose limit has got another period. */
  readonly newlyCountedLeaseIds: ReadonlySet<string>;
  /** The months of those who made these keys and have a budget. */
  readonly memberSpends: ReadonlyMap<string, MemberSpendRow>;
}

/** What a batch writes. Wallets and holds carry absolute values, never increments. */
export interface BatchChanges {
  readonly wallets: readonly WalletRow[];
  /** New ones and changed ones. */
  readonly keySpends: readonly KeySpendRow[];
  readonly newHolds: readonly HoldRow[];
  readonly changedHolds: readonly HoldRow[];
  readonly newLeases: readonly LeaseRow[];
  readonly changedLeases: readonly LeaseRow[];
  readonly newTransfers: readonly TransferRow[];
  readonly newCallRecords: readonly CallRecordRow[];
  readonly changedCallRecords: readonly CallRecordRow[];
  /** To be added to the rows of their hours. */
  readonly usageHours: readonly UsageHourRow[];
  /** Of these, those of hours that may have been summed already, to be noted beside. */
  readonly lateUsageHours: readonly UsageHourRow[];
  /** The first hour of the journal whose sum is to be removed, and with it all behind; null: none. */
  readonly sumAgainFromHourMs: number | null;
}
