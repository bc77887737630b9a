import { toMillicredits } from '../../kernel/millicredits.js';
import { priceTokens } from '../../kernel/token-price.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { KeyWatch } from '../key-spend/key-watch.js';
import type { HoldInput, HoldResult, SettleInput } from '../ledger-types.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { askForLease } from './ask-for-lease.js';
import { soonMs } from './lease-size.js';
import type { KeyRoom, LeaseInput } from './lease-types.js';
import { LeasedWallets } from './leased-wallets.js';
import {
  beginLease,
  budgetOf,
  isGood,
  isOutdated,
  type LeaseBudget,
  type LeasedWallet,
  type OwnLease,
  type Reservation,
  roomOf,
  serves,
  unreservedOf,
} from './own-lease.js';

const idleMs = 5_000;
/** So long are the calls of a busy wallet missing in its statement, which has them when their lease ends. */
const ageMsMax = 60_000;
/** A lease of which no more than this part is left is followed by the next one. */
const partLeft = 1 / 4;

export interface LeaseBookParts {
  readonly instance: string;
  readonly keyWatch: KeyWatch;
  /** For how long a renewal is good. */
  readonly leaseMs: number;
  /** Commits one operation. */
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  /** Called with the account of each call that was let in. */
  readonly onReserved: (accountId: string) => void;
  /** Never goes back, and counts standstills. */
  readonly readMs: () => number;
  /** The time of day. */
  readonly nowMs: () => number;
}

/**
 * The leases of this process, and what its calls have reserved of them. Letting a call in takes no wait: either a lease has room
 * for its worst case, or it takes a hold as ever. Calls of a key with a spend limit have leases of their own, which count there.
 * What becomes of a lease is decided by the ledger alone, whose commits are noted here in their order.
 */
export class LeaseBook {
  readonly #wallets = new LeasedWallets();
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
    const place = this.#wallets.noteCall({ accountId: input.accountId, keyId: budgetOf(input) }, amount, nowMs);
    if (!place) return null;
    const { leases } = place.wallet;
    for (const lease of leases) if (isOutdated(lease, input)) this.drainLease(lease);
    const { leaseMs } = this.parts;
    const isFit = (lease: OwnLease) => serves(lease, input) && isGood(lease, nowMs, leaseMs) && roomOf(lease) >= amount;
    const lease = leases.find(isFit);
    if (!lease || roomOf(lease) - amount < lease.amount * partLeft) this.#ask(input, place);
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
  makeRoomFor(input: HoldInput): void {
    const { accountId, amountMillicredits: amount, enoughMillicredits: enough = amount } = input;
    const wallet = this.#wallets.find(accountId);
    if (!wallet || wallet.leases.length === 0) return;
    const keyId = budgetOf(input);
    const room = wallet.budgets.get(keyId)?.room;
    if (wallet.available < amount) this.drain(accountId);
    else if (room && room.left < Math.min(amount, enough)) this.drain(accountId, keyId);
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
    const cost = priceTokens(promptTokens + completionTokens, input.facts);
    const more = Math.max(0, Math.min(cost - reservation.amount, roomOf(lease)));
    if (!lease.isDraining) {
      reservation.amount += more;
      lease.reserved += more;
    }
    const { keyId, facts } = input;
    const { callId, accountId, ending } = settlement;
    const leased = { leaseId: lease.id, keyId, facts, coveredMillicredits: reservation.amount };
    return { callId, accountId, ending, lease: leased };
  }

  /** Gives back what a call has reserved, but for what it was charged of that. */
  release(callId: string, chargedMillicredits = 0): void {
    const reservation = this.#reservations.get(callId);
    if (!reservation) return;
    this.#reservations.delete(callId);
    const { lease, amount } = reservation;
    lease.reserved -= amount;
    lease.spent += chargedMillicredits;
    this.#endIfIdle(lease);
  }

  /**
   * Lets no call in any more against what is leased of this wallet, or of it for one key, and gives it back as its calls end.
   * @param keyId Of a key with a spend limit; null: all that is leased.
   */
  drain(accountId: string, keyId: string | null = null): void {
    const wallet = this.#wallets.find(accountId);
    const place = findPlace(wallet, keyId);
    if (!wallet || !place) return;
    place.quietUntilMs = this.parts.readMs() + soonMs;
    for (const lease of [...wallet.leases]) {
      if (keyId === null || lease.key?.keyId === keyId) this.drainLease(lease);
    }
  }

  drainLease(lease: OwnLease): void {
    lease.isDraining = true;
    this.#endIfIdle(lease);
  }

  listLeases(): OwnLease[] {
    return this.#wallets.listLeases();
  }

  /** What calls have reserved of a lease; null: it is none of this process. */
  findReserved(accountId: string, leaseId: string): number | null {
    return this.#wallets.findLease(accountId, leaseId)?.reserved ?? null;
  }

  /** Gives back what has not been used for seconds, and forgets wallets that nobody calls with. */
  endIdleLeases(nowMs: number): void {
    for (const lease of this.listLeases()) {
      const isIdle = lease.reserved === 0 && nowMs - lease.usedMs > idleMs;
      if (lease.isDraining || isIdle || nowMs - lease.begunMs > ageMsMax) this.drainLease(lease);
    }
    this.#wallets.forgetIdle(nowMs, idleMs);
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
    this.#wallets.noteAvailable(accountId, available);
  }

  /** What the last commit has left of a key's limit, leases not counted. */
  noteKeyRoom(room: KeyRoom): void {
    this.#wallets.noteKeyRoom(room);
  }

  /** What this process has leased of a wallet that is neither spent nor reserved. */
  findUnreserved(accountId: string): number {
    return unreservedOf(this.#wallets.find(accountId));
  }

  /** A lease has begun. */
  addLease(input: LeaseInput, result: Extract<OperationResult, { status: 'leased' }>, sentMs: number): void {
    const wallet = this.#wallets.find(input.accountId);
    if (!wallet || wallet.leases.some(({ id }) => id === input.leaseId)) return;
    // What is left of the ones before goes back when their calls have ended.
    for (const lease of [...wallet.leases]) if (lease.key?.keyId === input.key?.keyId) this.drainLease(lease);
    wallet.leases.push({ ...beginLease(input, result, sentMs), isDraining: this.#isClosing });
  }

  /** A renewal was answered. */
  noteRenewal(
    { accountId, leaseId, reservedMillicredits }: { accountId: string; leaseId: string; reservedMillicredits: number },
    result: OperationResult,
    sentMs: number,
  ): void {
    const lease = this.#wallets.findLease(accountId, leaseId);
    if (!lease) return;
    // Another process has ended it, as if this one had died: what its calls have used is charged late.
    if (result.status !== 'lease_renewed') {
      this.remove(accountId, leaseId);
      return;
    }
    lease.renewedMs = sentMs;
    lease.reservedInRow = reservedMillicredits;
    if (result.isRecalled) this.drainLease(lease);
    else lease.recallCheckedMs = sentMs;
  }

  /** A lease has ended. */
  remove(accountId: string, leaseId: string): void {
    const leases = this.#wallets.find(accountId)?.leases ?? [];
    const index = leases.findIndex(({ id }) => id === leaseId);
    const [lease] = index === -1 ? [] : leases.splice(index, 1);
    // Nothing of it is to be had any more, and it ends only once.
    if (lease) Object.assign(lease, { isDraining: true, isEnding: true });
  }

  /**
   * Somebody found too little; what is leased is given back, and asked back from others.
   * @param keyId The key whose spend limit has too little; null: the wallet has.
   */
  noteShort(
    { accountId, keyId }: { readonly accountId: string; readonly keyId: string | null },
    isLeasedElsewhere: boolean,
  ): void {
    const nowMs = this.parts.readMs();
    if (isLeasedElsewhere) this.#wallets.noteCall({ accountId, keyId }, 0, nowMs);
    const place = findPlace(this.#wallets.find(accountId), keyId);
    const isQuiet = place === null || nowMs < place.quietUntilMs;
    this.drain(accountId, keyId);
    if (!isLeasedElsewhere || isQuiet) return;
    const input = { accountId, ...(keyId !== null && { keyId }) };
    void this.parts.submit({ kind: 'recall', input, instance: this.parts.instance }).catch(() => undefined);
  }

  #ask(input: HoldInput, place: { readonly wallet: LeasedWallet; readonly budget: LeaseBudget }): void {
    const asking = askForLease(input, place, this.parts);
    if (!asking) return;
    this.#underWay.add(asking);
    void asking.finally(() => this.#underWay.delete(asking));
  }

  #mayLease({ keyId, keyRevision, isKeyLimited, isMakerBudgeted, keyExpiresAtMs }: HoldInput): boolean {
    if (isMakerBudgeted || (isKeyLimited && keyRevision === undefined)) return false;
    if ((keyExpiresAtMs ?? Number.POSITIVE_INFINITY) <= this.parts.nowMs()) return false;
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
      // `endIdleLeases` tries again.
      lease.isEnding = false;
    }
  }

  #toHeld({ amount, input }: Reservation): HoldResult {
    const wallet = this.#wallets.find(input.accountId);
    return {
      status: 'held',
      heldMillicredits: toMillicredits(amount),
      availableAfterMillicredits: toMillicredits((wallet?.available ?? 0) + unreservedOf(wallet)),
    };
  }
}

// What is quiet after somebody found too little: a limited key, or all of a wallet.
function findPlace(wallet: LeasedWallet | null, keyId: string | null): { quietUntilMs: number } | null {
  return keyId === null ? wallet : (wallet?.budgets.get(keyId) ?? null);
}
