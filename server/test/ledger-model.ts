/**
 * A second, independent idea of the ledger: plain sums over what was asked, in the order in which it was asked. It shares no
 * code with the real one, so that both would have to be wrong in the same way to agree on an error.
 */
export class LedgerModel {
  readonly #wallets = new Map<string, ModelWallet>();
  readonly #calls = new Map<string, ModelCall>();
  readonly #grants = new Set<string>();
  readonly #limits = new Map<string, ModelLimit>();
  // What each key has spent and holds, by kind of period and number of the period.
  readonly #keySums = new Map<string, ModelKeySum>();

  openWallet(id: string): void {
    this.#wallets.set(id, { credits: 0, spent: 0, held: 0, isFrozen: false, isClosed: false });
  }

  available(walletId: string): number {
    return this.posted(walletId) - this.pending(walletId);
  }

  posted(walletId: string): number {
    const wallet = this.#wallets.get(walletId);
    return wallet ? wallet.credits - wallet.spent : 0;
  }

  pending(walletId: string): number {
    return this.#wallets.get(walletId)?.held ?? 0;
  }

  /** Credits that were paid for. */
  sell(id: string, walletId: string, amount: number): 'granted' | 'replayed' {
    if (this.#grants.has(id)) return 'replayed';
    this.#grants.add(id);
    this.#wallet(walletId).credits += amount;
    return 'granted';
  }

  /** Credits that are given away: to nobody who has gone. */
  give(id: string, walletId: string, amount: number): 'granted' | 'replayed' | 'refused' {
    if (!this.#grants.has(id) && this.#wallet(walletId).isClosed) return 'refused';
    return this.sell(id, walletId, amount);
  }

  /** Takes credits back, below zero if it must be. */
  reverse(id: string, walletId: string, amount: number): 'granted' | 'replayed' {
    if (this.#grants.has(id)) return 'replayed';
    this.#grants.add(id);
    this.#wallet(walletId).spent += amount;
    return 'granted';
  }

  /** @returns whether that is done: what is closed stays so. */
  setFrozen(walletId: string, isFrozen: boolean): boolean {
    const wallet = this.#wallet(walletId);
    if (!wallet.isClosed) wallet.isFrozen = isFrozen;
    return !wallet.isClosed;
  }

  /** No call begins any more; what runs is settled, and what is paid comes and goes as before. */
  close(walletId: string): void {
    Object.assign(this.#wallet(walletId), { isFrozen: true, isClosed: true });
  }

  /** The limit counts from now on for what has been spent before as well. */
  setKeyLimit(keyId: string, limit: ModelLimit | null): void {
    if (limit) this.#limits.set(keyId, limit);
    else this.#limits.delete(keyId);
  }

  /** What the calls of a key have cost that began in the same period as `atMs`, and what they still hold. */
  keySum(keyId: string, period: ModelLimit['period'], atMs: number): ModelKeySum {
    const name = `${keyId} ${period} ${numberOf(period, atMs)}`;
    const sum = this.#keySums.get(name) ?? { spent: 0, held: 0 };
    this.#keySums.set(name, sum);
    return sum;
  }

  /** @returns what is held, or null when it is refused. */
  hold(callId: string, ask: ModelAsk): number | null {
    const known = this.#calls.get(callId);
    if (known) return known.state === 'open' ? known.held : null;
    if (this.#wallet(ask.walletId).isFrozen) return null;
    const held = Math.min(ask.amount, this.available(ask.walletId), this.#leftOfLimit(ask));
    if (held < ask.acceptFrom || held <= 0) return null;
    this.#wallet(ask.walletId).held += held;
    this.#countForKey(ask, { held, spent: 0 });
    this.#calls.set(callId, {
      walletId: ask.walletId,
      keyId: ask.keyId,
      startedAtMs: ask.startedAtMs,
      price: ask.price,
      multiplier: ask.multiplier,
      held,
      state: 'open',
      progress: [0, 0],
      charged: 0,
    });
    return held;
  }

  renew(callId: string, promptTokens: number, completionTokens: number): void {
    const call = this.#calls.get(callId);
    if (call?.state === 'open') call.progress = [promptTokens, completionTokens];
  }

  /** @returns what the call is charged in all, or null for a call that never was. */
  settle(callId: string, tokens: number): number | null {
    const call = this.#calls.get(callId);
    if (!call) return null;
    const cost = costOf(call, tokens);
    if (call.state === 'open') this.#end(call, 'ended', Math.min(cost, call.held));
    else if (call.state === 'expired') call.state = 'ended';
    else return call.charged;
    const missing = Math.max(0, cost - call.charged);
    const paid = Math.min(missing, Math.max(0, this.available(call.walletId)));
    this.#wallet(call.walletId).spent += paid;
    this.#countForKey(call, { held: 0, spent: paid });
    call.charged += paid;
    return call.charged;
  }

  void(callId: string): void {
    const call = this.#calls.get(callId);
    if (call?.state === 'open') this.#end(call, 'ended', 0);
  }

  expire(callId: string): void {
    const call = this.#calls.get(callId);
    if (call?.state !== 'open') return;
    let affordable = 0;
    // More than any call says of its progress.
    while (affordable < 2_000 && costOf(call, affordable + 1) <= call.held) affordable += 1;
    const prompt = Math.min(call.progress[0], affordable);
    const completion = Math.min(call.progress[1], affordable - prompt);
    this.#end(call, 'expired', costOf(call, prompt + completion));
  }

  /** Nothing that is asked of the call later charges anything, unless it has been charged or holds. */
  waive(callId: string, walletId: string): 'waived' | 'charged' | 'running' {
    const call = this.#calls.get(callId);
    if (call) {
      if (call.state === 'open') return 'running';
      if (call.charged > 0) return 'charged';
      call.state = 'ended';
      return 'waived';
    }
    if (this.available(walletId) < 1) return 'running';
    const nothing = { price: 1, multiplier: 1_000, held: 0, charged: 0 };
    this.#calls.set(callId, { walletId, keyId: '', startedAtMs: 0, ...nothing, state: 'ended', progress: [0, 0] });
    return 'waived';
  }

  #end(call: ModelCall, state: 'ended' | 'expired', charged: number): void {
    call.state = state;
    call.charged = charged;
    this.#wallet(call.walletId).held -= call.held;
    this.#wallet(call.walletId).spent += charged;
    this.#countForKey(call, { held: -call.held, spent: charged });
  }

  #leftOfLimit({ keyId, startedAtMs }: ModelAsk): number {
    const limit = this.#limits.get(keyId);
    if (!limit) return Number.POSITIVE_INFINITY;
    const { spent, held } = this.keySum(keyId, limit.period, startedAtMs);
    return limit.amount - spent - held;
  }

  #countForKey({ keyId, startedAtMs }: { keyId: string; startedAtMs: number }, by: ModelKeySum): void {
    for (const period of ['day', 'week', 'month'] as const) {
      const sum = this.keySum(keyId, period, startedAtMs);
      sum.spent += by.spent;
      sum.held += by.held;
    }
  }

  #wallet(id: string): ModelWallet {
    const wallet = this.#wallets.get(id);
    if (!wallet) throw new Error(`The model has no wallet ${id}.`);
    return wallet;
  }
}

// 1970-01-01 was a Thursday.
function numberOf(period: ModelLimit['period'], atMs: number): number {
  const day = Math.floor(atMs / 86_400_000);
  if (period === 'day') return day;
  if (period === 'week') return Math.floor((day + 3) / 7);
  const date = new Date(atMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export interface ModelLimit {
  readonly amount: number;
  readonly period: 'day' | 'week' | 'month';
}

interface ModelKeySum {
  spent: number;
  held: number;
}

interface ModelAsk {
  readonly walletId: string;
  readonly keyId: string;
  readonly startedAtMs: number;
  readonly amount: number;
  readonly acceptFrom: number;
  readonly price: number;
  /** Per mille. */
  readonly multiplier: number;
}

interface ModelWallet {
  credits: number;
  spent: number;
  held: number;
  isFrozen: boolean;
  isClosed: boolean;
}

interface ModelCall {
  readonly walletId: string;
  readonly keyId: string;
  readonly startedAtMs: number;
  readonly price: number;
  readonly multiplier: number;
  readonly held: number;
  state: 'open' | 'ended' | 'expired';
  progress: [number, number];
  charged: number;
}

// Counted in thousandths of a millicredit, and rounded up by looking.
function costOf({ price, multiplier }: Pick<ModelCall, 'price' | 'multiplier'>, tokens: number): number {
  const thousandths = tokens * price * multiplier;
  const whole = Math.floor(thousandths / 1_000);
  return whole * 1_000 === thousandths ? whole : whole + 1;
}
