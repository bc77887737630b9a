/**
 * What must be true of credits whatever leases do: sums over what was asked and answered, with no idea of leases, holds or tables. It
 * shares no code with the ledger. Each method takes an answer and tells what is wrong with it; null: nothing.
 */
export class LeaseModel {
  readonly #wallets = new Map<string, ModelWallet>();
  readonly #calls = new Map<string, ModelCall>();
  /** Those of them that have not ended; all others are looked at by their id alone, or a long run would do nothing else. */
  readonly #running = new Set<ModelCall>();
  readonly #transfers = new Set<string>();
  readonly #limits = new Map<string, number>();
  /** By key and day. */
  readonly #spent = new Map<string, number>();

  openWallet(id: string): void {
    this.#wallets.set(id, { credits: 0, charged: 0, isFrozen: false });
  }

  /** Credits in minus credits used. */
  posted(walletId: string): number {
    const { credits, charged } = this.#wallet(walletId);
    return credits - charged;
  }

  /** What running calls are promised. */
  promised(walletId: string): number {
    let sum = 0;
    for (const { walletId: id, held, isOrphaned } of this.#running) {
      if (id === walletId && !isOrphaned) sum += held;
    }
    return sum;
  }

  move(id: string, walletId: string, amount: number, isReplay: boolean): string | null {
    const wasKnown = this.#transfers.has(id);
    this.#transfers.add(id);
    if (!wasKnown) this.#wallet(walletId).credits += amount;
    return wasKnown === isReplay ? null : `${id} was booked ${isReplay ? 'never' : 'twice'}`;
  }

  setFrozen(walletId: string, isFrozen: boolean): void {
    this.#wallet(walletId).isFrozen = isFrozen;
  }

  /** What a key may spend a day; null: as much as its wallet has. */
  setLimit(keyId: string, limit: number | null): void {
    if (limit === null) this.#limits.delete(keyId);
    else this.#limits.set(keyId, limit);
  }

  /** A call was let in. */
  begun(callId: string, { walletId, keyId, day, amount }: AskedCall, held: number): string | null {
    const free = this.posted(walletId) - this.promised(walletId);
    const freeOfLimit = this.#unspent(keyId, day) - this.#promisedBy(keyId, day);
    const { isFrozen } = this.#wallet(walletId);
    const isLimited = this.#limits.has(keyId);
    const call = { walletId, keyId, day, isLimited, held, progress: 0, charged: 0, ...untouched };
    this.#calls.set(callId, call);
    this.#running.add(call);
    if (isFrozen) return `${callId} was let in although its wallet is frozen`;
    if (held !== amount) return `${callId} holds ${held} instead of ${amount}`;
    if (freeOfLimit < amount) return `${callId} was let in for ${amount} where its key had ${freeOfLimit} left`;
    return free < amount ? `${callId} was let in for ${amount} where ${free} were left` : null;
  }

  /** A call was turned away. */
  refused({ walletId, keyId, day, amount }: AskedCall, reason: string): string | null {
    const posted = this.posted(walletId);
    const unspent = this.#unspent(keyId, day);
    if (this.#wallet(walletId).isFrozen) return reason === 'wallet_not_open' ? null : `refused as ${reason}`;
    if (reason === 'insufficient') return posted < amount ? null : `insufficient with ${posted} for ${amount}`;
    if (reason === 'key_limit') return unspent < amount ? null : `key_limit with ${unspent} for ${amount}`;
    if (reason === 'key_limit_reserved') return unspent >= amount ? null : `to wait with ${unspent} for ${amount}`;
    return reason === 'reserved' && posted >= amount ? null : `refused as ${reason} with ${posted} for ${amount}`;
  }

  /** What a call has used was written down. */
  noted(callId: string, progress: number): void {
    this.#call(callId).progress = progress;
  }

  /** What was set aside for a call is so no more: its process was taken for dead. */
  orphaned(callId: string): void {
    this.#call(callId).isOrphaned = true;
  }

  /** The hold of a call was ended by somebody else. */
  expired(callId: string, charged: number): string | null {
    const call = this.#call(callId);
    this.orphaned(callId);
    this.#charge(call, charged);
    return charged === call.progress ? null : `${callId} expired at ${charged} instead of ${call.progress}`;
  }

  /** A call was settled at this cost. */
  ended(callId: string, cost: number, answer: { charged: number; absorbed: number; isReplay: boolean }): string | null {
    const call = this.#call(callId);
    const { charged, absorbed, isReplay } = answer;
    if (!this.#running.has(call)) {
      const isSame = isReplay && charged === call.charged;
      return isSame ? null : `${callId} was settled again, at ${charged} instead of ${call.charged}`;
    }
    const before = this.posted(call.walletId);
    this.#running.delete(call);
    if (call.isWaived) return charged === 0 && absorbed === 0 ? null : `${callId} was waived, and charged ${charged}`;
    const more = charged - call.charged;
    const least = call.isOrphaned ? call.charged : Math.min(cost, call.held);
    this.#charge(call, charged);
    if (isReplay) return `${callId} was settled before`;
    if (charged + absorbed !== Math.max(cost, least)) return `${callId} cost ${cost}: ${charged} and ${absorbed}`;
    if (charged < least) return `${callId} was charged ${charged} instead of ${least} at least`;
    const isBelowZero = more > 0 && this.posted(call.walletId) < Math.min(0, before - Math.min(more, call.held));
    return isBelowZero ? `${callId} took its wallet to ${this.posted(call.walletId)}` : null;
  }

  /** Somebody wants to make a call again that nobody has heard of. */
  waived(callId: string, answer: 'waived' | 'charged' | 'running'): string | null {
    const call = this.#call(callId);
    if (answer === 'running') return null;
    // Its process may hear of it before it ends, and gives back what was set aside.
    if (answer === 'waived') Object.assign(call, { isWaived: true, isOrphaned: true });
    const isCharged = call.charged > 0;
    return isCharged === (answer === 'charged') ? null : `${callId} is ${answer} at ${call.charged}`;
  }

  /** A process died with its calls; nothing more is heard of them. */
  lost(callId: string): void {
    this.#running.delete(this.#call(callId));
  }

  #charge(call: ModelCall, charged: number): void {
    const more = charged - call.charged;
    const counter = `${call.keyId} ${call.day}`;
    this.#wallet(call.walletId).charged += more;
    this.#spent.set(counter, (this.#spent.get(counter) ?? 0) + more);
    call.charged = charged;
  }

  // What a key's limit has left for calls of this day, running ones not counted.
  #unspent(keyId: string, day: number): number {
    return (this.#limits.get(keyId) ?? Number.POSITIVE_INFINITY) - (this.#spent.get(`${keyId} ${day}`) ?? 0);
  }

  // Calls from before there was a limit count when they end.
  #promisedBy(keyId: string, day: number): number {
    const counted = [...this.#running].filter(
      (call) => call.keyId === keyId && call.day === day && call.isLimited && !call.isOrphaned,
    );
    return counted.reduce((sum, { held }) => sum + held, 0);
  }

  #wallet(id: string): ModelWallet {
    const wallet = this.#wallets.get(id);
    if (!wallet) throw new Error(`The model has no wallet ${id}.`);
    return wallet;
  }

  #call(id: string): ModelCall {
    const call = this.#calls.get(id);
    if (!call) throw new Error(`The model has no call ${id}.`);
    return call;
  }
}

const untouched = { isOrphaned: false, isWaived: false };

interface ModelWallet {
  credits: number;
  charged: number;
  isFrozen: boolean;
}

/** A call for this worst case, which began on this day. */
interface AskedCall {
  readonly walletId: string;
  readonly keyId: string;
  readonly day: number;
  readonly amount: number;
}

interface ModelCall {
  readonly walletId: string;
  readonly keyId: string;
  readonly day: number;
  /** Its key had a limit when it began. */
  readonly isLimited: boolean;
  readonly held: number;
  progress: number;
  charged: number;
  isOrphaned: boolean;
  /** It costs nothing any more, for ever. */
  isWaived: boolean;
}
