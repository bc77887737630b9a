import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { OperationResult } from './decide-batch.js';
import type { KeyWatch } from './key-watch.js';
import { addCall, sizeLease, soonMs } from './lease-size.js';
import type { LedgerOperation } from './ledger-rows.js';
import type { HoldInput, HoldResult, SettleInput } from './ledger-types.js';
import { isGood, type LeasedWallet, type OwnLease, type Reservation, roomOf, unreservedOf } from './own-lease.js';

const idleMs = 5_000;
/** So long are the calls of a busy wallet missing in its statement, which has them when their lease ends. */
const ageMsMax = 60_000;
const walletsMax = 50_000;
/** A lease of which no more than this part is left is followed by the next one. */
const partLeft = 1 / 4;

export interface LeaseBookParts {
  readonly instance: string;
  readonly keyWatch: KeyWatch;
  /** For how long a renewal is good. */
  readonly leaseMs: number;
  /** Commits one operation. */
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  /** Is told the account of a call that was let in. */
  readonly onReserved: (accountId: string) => void;
  /** Never goes back, and counts standstills. */
  readonly readMs: () => number;
  /** The time of day. */
  readonly nowMs: () => number;
}

/**
 * The leases of this process, and what its calls have reserved of them. Letting a call in takes no wait: either a lease has room
 * for its worst case, or it takes a hold as ever. What becomes of a lease is decided by the ledger alone; this is told of each
 * commit, in order.
 */
export class LeaseBook {
  readonly #wallets = new Map<string, LeasedWallet>();
  readonly #reservations = new Map<string, Reservation>();
  /** Leases that begin or end just now. */
  readonly #underWay = new Set<Promise<void>>();
  #callCount = 0;
  #isClosing = false;

  constructor(private readonly parts: LeaseBookParts) {}

  /** What this process has leased and reserved, and how many calls leases have let in since its start. */
  get standing() {
    const leases = this.listLeases();
    const sum = (of: (lease: OwnLease) => number) => leases.reduce((total, lease) => total + of(lease), 0);
    const leasedMillicredits = sum(({ amount, spent }) => amount - spent);
    const reservedMillicredits = sum(({ reserved }) => reserved);
    return { leaseCount: leases.length, leasedMillicredits, reservedMillicredits, callCount: this.#callCount };
  }

  /** Reserves the worst case of a call, if a lease has room for it and nothing is in doubt; null: it has to take a hold. */
  tryReserve(input: HoldInput): HoldResult | null {
    const known = this.#reservations.get(input.callId);
    if (known) return this.#toHeld(known);
    if (this.#isClosing || !this.#mayLease(input)) return null;
    const nowMs = this.parts.readMs();
    const amount = input.amountMillicredits;
    const wallet = this.#noteCall(input.accountId, amount, nowMs);
    const lease = wallet?.leases.find(
      (candidate) => isGood(candidate, nowMs, this.parts.leaseMs) && roomOf(candidate) >= amount,
    );
    if (wallet && (!lease || roomOf(lease) - amount < lease.amount * partLeft)) this.#ask(input.accountId, wallet);
    if (!lease) return null;
    lease.reserved += amount;
    lease.usedMs = nowMs;
    const reservation = { lease, input, amount };
    this.#reservations.set(input.callId, reservation);
    this.#callCount += 1;
    this.parts.onReserved(input.accountId);
    return this.#toHeld(reservation);
  }

  /** Ends what stands in the way of a hold of this size, as far as no call runs on it, in the commit of that hold or before. */
  makeWay({ accountId, amountMillicredits }: HoldInput): void {
    const wallet = this.#wallets.get(accountId);
    if (wallet && wallet.leases.length > 0 && wallet.available < amountMillicredits) this.drain(accountId);
  }

  /** The call, if a lease has let it in and it has neither ended nor got a hold of its own. */
  find(callId: string): HoldInput | null {
    return this.#reservations.get(callId)?.input ?? null;
  }

  /** A settlement with what the ledger needs to know of a call that has no hold; others as they are. */
  cover(settlement: SettleInput): SettleInput {
    const reservation = this.#reservations.get(settlement.callId);
    if (!reservation) return settlement;
    const { lease, input } = reservation;
    const { promptTokens, completionTokens } = settlement.ending;
    const cost = (promptTokens + completionTokens) * input.facts.millicreditsPerToken;
    const more = Math.max(0, Math.min(cost - reservation.amount, roomOf(lease)));
    if (!lease.isDraining) {
      reservation.amount += more;
      lease.reserved += more;
    }
    const { keyId, facts } = input;
    return { ...settlement, lease: { leaseId: lease.id, keyId, facts, coveredMillicredits: reservation.amount } };
  }

  /** Gives back what a call has reserved that was never sent. */
  release(callId: string, leased = 0): void {
    const reservation = this.#reservations.get(callId);
    if (!reservation) return;
    this.#reservations.delete(callId);
    const { lease, amount } = reservation;
    lease.reserved -= amount;
    lease.spent += leased;
    this.#endIfIdle(lease);
  }

  /** Lets no call in any more against what is leased of this wallet, and gives it back as its calls end. */
  drain(accountId: string): void {
    const wallet = this.#wallets.get(accountId);
    if (!wallet) return;
    wallet.quietUntilMs = this.parts.readMs() + soonMs;
    for (const lease of [...wallet.leases]) this.drainLease(lease);
  }

  drainLease(lease: OwnLease): void {
    lease.isDraining = true;
    this.#endIfIdle(lease);
  }

  listLeases(): OwnLease[] {
    return [...this.#wallets.values()].flatMap(({ leases }) => leases);
  }

  /** What calls have reserved of a lease; null: it is none of this process. */
  findReserved(accountId: string, leaseId: string): number | null {
    return this.#wallets.get(accountId)?.leases.find(({ id }) => id === leaseId)?.reserved ?? null;
  }

  /** Gives back what has not been used for seconds, and forgets wallets that nobody calls with. */
  tidy(nowMs: number): void {
    for (const [accountId, { leases, traffic, isAsking }] of this.#wallets) {
      for (const lease of [...leases]) {
        const isIdle = lease.reserved === 0 && nowMs - lease.usedMs > idleMs;
        if (lease.isDraining || isIdle || nowMs - lease.begunMs > ageMsMax) this.drainLease(lease);
      }
      if (leases.length === 0 && !isAsking && nowMs - traffic.lastCallMs > idleMs) this.#wallets.delete(accountId);
    }
  }

  /** Gives everything back but what calls have reserved that have not ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#underWay);
    const ends = this.listLeases().filter(({ reserved, isEnding }) => reserved === 0 && !isEnding);
    await Promise.allSettled(ends.map((lease) => this.#end(lease)));
  }

  /** What the last commit has left of a wallet for holds, leases not counted. */
  noteAvailable(accountId: string, available: number): void {
    const wallet = this.#wallets.get(accountId);
    if (wallet) wallet.available = available;
  }

  /** What this process has leased of a wallet that is neither spent nor reserved. */
  findUnreserved(accountId: string): number {
    return unreservedOf(this.#wallets.get(accountId) ?? null);
  }

  /** A lease has begun. */
  addLease({ leaseId: id, accountId }: { leaseId: string; accountId: string }, amount: number, sentMs: number): void {
    const wallet = this.#wallets.get(accountId);
    if (!wallet || wallet.leases.some((lease) => lease.id === id)) return;
    // What is left of the ones before goes back when their calls have ended.
    for (const lease of [...wallet.leases]) this.drainLease(lease);
    const times = { begunMs: sentMs, renewedMs: sentMs, heardMs: sentMs, usedMs: sentMs };
    wallet.leases.push({
      ...{ id, accountId, amount, spent: 0, reserved: 0, told: 0 },
      ...{ ...times, isDraining: this.#isClosing, isEnding: false },
    });
  }

  /** A renewal was answered. */
  noteRenewal(
    { accountId, leaseId, reservedMillicredits }: { accountId: string; leaseId: string; reservedMillicredits: number },
    result: OperationResult,
    sentMs: number,
  ): void {
    const lease = this.#wallets.get(accountId)?.leases.find(({ id }) => id === leaseId);
    if (!lease) return;
    // Somebody took this process for dead: what its calls have used is charged late.
    if (result.status !== 'lease_renewed') {
      this.remove(accountId, leaseId);
      return;
    }
    lease.renewedMs = sentMs;
    lease.told = reservedMillicredits;
    if (result.isRecalled) this.drainLease(lease);
    else lease.heardMs = sentMs;
  }

  /** A lease has ended. */
  remove(accountId: string, leaseId: string): void {
    const leases = this.#wallets.get(accountId)?.leases ?? [];
    const index = leases.findIndex(({ id }) => id === leaseId);
    const [lease] = index === -1 ? [] : leases.splice(index, 1);
    // Nothing of it is to be had any more, and it ends only once.
    if (lease) Object.assign(lease, { isDraining: true, isEnding: true });
  }

  /** Somebody found too little; what is leased is given back, and asked back from others. */
  noteShort(accountId: string, isLeasedElsewhere: boolean): void {
    const nowMs = this.parts.readMs();
    if (isLeasedElsewhere) this.#noteCall(accountId, 0, nowMs);
    const wallet = this.#wallets.get(accountId);
    const isQuiet = wallet === undefined || nowMs < wallet.quietUntilMs;
    this.drain(accountId);
    if (!isLeasedElsewhere || isQuiet) return;
    void this.parts
      .submit({ kind: 'recall', input: { accountId }, instance: this.parts.instance })
      .catch(() => undefined);
  }

  #noteCall(accountId: string, amount: number, nowMs: number): LeasedWallet | null {
    const known = this.#wallets.get(accountId);
    const traffic = addCall(known?.traffic ?? null, amount, nowMs);
    if (known) {
      known.traffic = traffic;
      return known;
    }
    if (this.#wallets.size >= walletsMax) return null;
    const wallet = { leases: [], traffic, available: 0, isAsking: false, quietUntilMs: 0 };
    this.#wallets.set(accountId, wallet);
    return wallet;
  }

  // Nobody waits for it.
  #ask(accountId: string, wallet: LeasedWallet): void {
    if (!wallet.traffic.isBusy || wallet.isAsking || this.parts.readMs() < wallet.quietUntilMs) return;
    const { amount, acceptFrom } = sizeLease(wallet.traffic);
    const leaseId = createId('lease');
    const amounts = { amountMillicredits: toMillicredits(amount), acceptFromMillicredits: toMillicredits(acceptFrom) };
    const { instance, submit, readMs } = this.parts;
    wallet.isAsking = true;
    const noteRefused = () => {
      wallet.quietUntilMs = readMs() + soonMs;
    };
    const asking = submit({ kind: 'lease', input: { leaseId, accountId, ...amounts }, instance })
      .then((result) => {
        if (result.status !== 'leased') noteRefused();
      }, noteRefused)
      .finally(() => {
        wallet.isAsking = false;
        this.#underWay.delete(asking);
      });
    this.#underWay.add(asking);
  }

  #mayLease({ keyId, keyRevision, isKeyLimited, keyExpiresAtMs }: HoldInput): boolean {
    if (isKeyLimited || (keyExpiresAtMs ?? Number.POSITIVE_INFINITY) <= this.parts.nowMs()) return false;
    return this.parts.keyWatch.isCurrent(keyId, keyRevision);
  }

  #endIfIdle(lease: OwnLease): void {
    if (!lease.isDraining || lease.reserved !== 0 || lease.isEnding) return;
    const ending = this.#end(lease).finally(() => this.#underWay.delete(ending));
    this.#underWay.add(ending);
  }

  async #end(lease: OwnLease): Promise<void> {
    Object.assign(lease, { isDraining: true, isEnding: true });
    const { id: leaseId, accountId } = lease;
    try {
      await this.parts.submit({ kind: 'end_lease', input: { leaseId, accountId } });
    } catch {
      // `tidy` tries again.
      lease.isEnding = false;
    }
  }

  #toHeld({ amount, input }: Reservation): HoldResult {
    const wallet = this.#wallets.get(input.accountId);
    return {
      status: 'held',
      heldMillicredits: toMillicredits(amount),
      availableAfterMillicredits: toMillicredits((wallet?.available ?? 0) + unreservedOf(wallet ?? null)),
    };
  }
}
