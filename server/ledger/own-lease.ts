import type { Traffic } from './lease-size.js';
import type { HoldInput } from './ledger-types.js';

/** An instance that has not heard for so long whether something is wanted back lets no call in against it. */
export const heardMs = 5_000;

/** A lease of this process. */
export interface OwnLease {
  readonly id: string;
  readonly accountId: string;
  readonly amount: number;
  spent: number;
  reserved: number;
  /** When the last renewal that was answered was sent; likewise of the news about recalls. */
  renewedMs: number;
  heardMs: number;
  usedMs: number;
  readonly begunMs: number;
  /** As its row says. */
  told: number;
  isDraining: boolean;
  isEnding: boolean;
}

/** A wallet that calls of this process pay from. */
export interface LeasedWallet {
  readonly leases: OwnLease[];
  traffic: Traffic;
  /** What the last commit that was about it has left for new holds and leases. */
  available: number;
  isAsking: boolean;
  /** No lease is asked for, and nothing recalled, before. */
  quietUntilMs: number;
}

/** What one running call has reserved of a lease. */
export interface Reservation {
  readonly lease: OwnLease;
  readonly input: HoldInput;
  amount: number;
}

/** What is neither spent nor reserved. */
export function roomOf({ amount, spent, reserved }: OwnLease): number {
  return amount - spent - reserved;
}

export function unreservedOf(wallet: LeasedWallet | null): number {
  return wallet?.leases.reduce((sum, lease) => sum + roomOf(lease), 0) ?? 0;
}

/** Whether a call may be let in against it: it is surely still this process's, and surely not wanted back. */
export function isGood(lease: OwnLease, nowMs: number, leaseMs: number): boolean {
  return !lease.isDraining && nowMs - lease.renewedMs < leaseMs && nowMs - lease.heardMs < heardMs;
}
