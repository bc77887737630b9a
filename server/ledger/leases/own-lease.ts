import type { HoldInput } from '../ledger-types.js';
import type { Traffic } from './lease-size.js';
import type { LeaseInput, LeaseResult, LeaseSpan } from './lease-types.js';

/** A process that has not asked for so long whether a lease was recalled lets no call in against it. */
export const recallCheckMsMax = 5_000;

/** A lease of this process. */
export interface OwnLease {
  readonly id: string;
  readonly accountId: string;
  /** The key with a spend limit whose calls alone it lets in; null: those of keys without one. */
  readonly key: LeasedKey | null;
  readonly amount: number;
  spent: number;
  reserved: number;
  /** When the last renewal that was answered was sent. */
  renewedMs: number;
  /** When the last question was sent whose answer was that it is not recalled. */
  recallCheckedMs: number;
  usedMs: number;
  readonly begunMs: number;
  /** What its row in the database says is reserved. */
  reservedInRow: number;
  isDraining: boolean;
  isEnding: boolean;
}

/** A limited key as the ledger has leased for it: at this revision, and for calls that begin in this period. */
export interface LeasedKey extends LeaseSpan {
  readonly keyId: string;
  readonly revision: number;
}

/** A wallet that calls of this process pay from. */
export interface LeasedWallet {
  readonly leases: OwnLease[];
  /** By the id of a limited key; null: of all others. */
  readonly budgets: Map<string | null, LeaseBudget>;
  /** What the last commit that was about it has left for new holds and leases. */
  available: number;
  /** No lease is asked for, and nothing recalled, before. */
  quietUntilMs: number;
}

/** What calls ask for that the same leases let in. */
export interface LeaseBudget {
  readonly keyId: string | null;
  traffic: Traffic;
  isAsking: boolean;
  quietUntilMs: number;
  /** What the last commit has left of the key's limit in its latest period, and when that began; null: nobody knows. */
  room: { readonly startsAtMs: number; readonly left: number } | null;
}

/** What one running call has reserved of a lease. */
export interface Reservation {
  readonly lease: OwnLease;
  readonly input: HoldInput;
  amount: number;
}

/** A lease that has begun. @param sentMs When it was asked for. */
export function beginLease(
  { leaseId: id, accountId, key: asked }: LeaseInput,
  { amountMillicredits: amount, keySpan }: Extract<LeaseResult, { status: 'leased' }>,
  sentMs: number,
): OwnLease {
  const span = keySpan ?? { startsAtMs: 0, endsAtMs: 0 };
  const key = asked ? { keyId: asked.keyId, revision: asked.keyRevision, ...span } : null;
  const times = { begunMs: sentMs, renewedMs: sentMs, recallCheckedMs: sentMs, usedMs: sentMs };
  const use = { spent: 0, reserved: 0, reservedInRow: 0 };
  return { id, accountId, key, amount, ...use, ...times, isDraining: false, isEnding: false };
}

/** What is neither spent nor reserved. */
export function roomOf({ amount, spent, reserved }: OwnLease): number {
  return amount - spent - reserved;
}

export function unreservedOf(wallet: LeasedWallet | null): number {
  let unreserved = 0;
  if (wallet !== null) for (const lease of wallet.leases) unreserved += roomOf(lease);
  return unreserved;
}

/** Whether a call may be let in against it: it is surely still this process's, and surely not recalled. */
export function isGood(lease: OwnLease, nowMs: number, leaseMs: number): boolean {
  return !lease.isDraining && nowMs - lease.renewedMs < leaseMs && nowMs - lease.recallCheckedMs < recallCheckMsMax;
}

type Asked = Pick<HoldInput, 'keyId' | 'keyRevision' | 'isKeyLimited' | 'facts'>;

/** The budget that a call belongs to. */
export function budgetOf({ keyId, isKeyLimited }: Pick<HoldInput, 'keyId' | 'isKeyLimited'>): string | null {
  return isKeyLimited ? keyId : null;
}

/** Whether a lease is for calls such as this one. */
export function serves({ key }: OwnLease, { keyId, keyRevision, isKeyLimited, facts }: Asked): boolean {
  if (!key || !isKeyLimited) return key === null && !isKeyLimited;
  const isInPeriod = key.startsAtMs <= facts.startedAtMs && facts.startedAtMs < key.endsAtMs;
  return key.keyId === keyId && key.revision === keyRevision && isInPeriod;
}

/** Whether a lease lets in no more calls of its key: the limit was changed, or begins anew. */
export function isOutdated({ key }: OwnLease, { keyId, keyRevision = 0, facts }: Asked): boolean {
  return key?.keyId === keyId && (key.revision < keyRevision || key.endsAtMs <= facts.startedAtMs);
}
