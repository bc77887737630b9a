import { addCall } from './lease-size.js';
import type { KeyRoom } from './lease-types.js';
import type { LeaseBudget, LeasedWallet, OwnLease } from './own-lease.js';

/** Wallets and limited keys that are watched at once; others are served by holds. */
const budgetsMax = 50_000;

/** The wallets that calls of this process pay from lately, what they ask for, and what is leased of them. Bounded. */
export class LeasedWallets {
  readonly #wallets = new Map<string, LeasedWallet>();
  #budgetCount = 0;

  find(accountId: string): LeasedWallet | null {
    return this.#wallets.get(accountId) ?? null;
  }

  findLease(accountId: string, leaseId: string): OwnLease | null {
    return this.#wallets.get(accountId)?.leases.find(({ id }) => id === leaseId) ?? null;
  }

  listLeases(): OwnLease[] {
    return [...this.#wallets.values()].flatMap(({ leases }) => leases);
  }

  /**
   * Counts a call into what is asked for.
   * @param keyId Of a key with a spend limit; null: of any other.
   * @returns null when there is no room for another one.
   */
  noteCall(
    { accountId, keyId }: { readonly accountId: string; readonly keyId: string | null },
    amount: number,
    nowMs: number,
  ): { readonly wallet: LeasedWallet; readonly budget: LeaseBudget } | null {
    const wallet = this.#wallets.get(accountId);
    const known = wallet?.budgets.get(keyId);
    const traffic = addCall(known?.traffic ?? null, amount, nowMs);
    if (wallet && known) {
      known.traffic = traffic;
      return { wallet, budget: known };
    }
    if (this.#budgetCount >= budgetsMax) return null;
    this.#budgetCount += 1;
    const budget = { keyId, traffic, isAsking: false, quietUntilMs: 0, room: null };
    const of = wallet ?? { leases: [], budgets: new Map(), available: 0, quietUntilMs: 0 };
    this.#wallets.set(accountId, of);
    of.budgets.set(keyId, budget);
    return { wallet: of, budget };
  }

  noteAvailable(accountId: string, available: number): void {
    const wallet = this.#wallets.get(accountId);
    if (wallet) wallet.available = available;
  }

  noteKeyRoom({ accountId, keyId, startsAtMs, leftMillicredits }: KeyRoom): void {
    const budget = this.#wallets.get(accountId)?.budgets.get(keyId);
    if (budget && startsAtMs >= (budget.room?.startsAtMs ?? 0)) budget.room = { startsAtMs, left: leftMillicredits };
  }

  /** Forgets what nobody calls with, and what nothing is leased of. */
  forgetIdle(nowMs: number, idleMs: number): void {
    for (const [accountId, { leases, budgets }] of this.#wallets) {
      const isLeased = (keyId: string | null) => leases.some(({ key }) => (key?.keyId ?? null) === keyId);
      for (const { keyId, isAsking, traffic } of [...budgets.values()]) {
        if (isAsking || nowMs - traffic.lastCallMs <= idleMs || isLeased(keyId)) continue;
        budgets.delete(keyId);
        this.#budgetCount -= 1;
      }
      if (leases.length === 0 && budgets.size === 0) this.#wallets.delete(accountId);
    }
  }
}
