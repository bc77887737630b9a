import { type Millicredits, toMillicredits } from '../kernel/millicredits.js';
import type {
  BatchChanges,
  BatchSnapshot,
  CallRecordRow,
  HoldRow,
  LedgerOperation,
  TransferRow,
  WalletRow,
} from './ledger-rows.js';
import {
  type CompanionWrite,
  type GrantInput,
  type GrantResult,
  type HoldInput,
  type HoldResult,
  type SettleInput,
  type SettleResult,
  systemAccounts,
  type TransferType,
} from './ledger-types.js';

export type OperationResult = HoldResult | SettleResult | GrantResult;

/** How long a hold outlives the last sign of life of the server that runs its call. */
const leaseMs = 60_000;

/**
 * The ledger's whole arithmetic, as a pure function of what was read under lock: works out each operation's result, one
 * after the other, and the rows to write. The same code decides on SQLite and on MySQL.
 *
 * Each operation succeeds or is refused on its own. One that was carried out before is answered from its record and
 * writes nothing. Rows of the snapshot are copied, not changed.
 */
export function decideBatch(operations: readonly LedgerOperation[], snapshot: BatchSnapshot) {
  const batch = new Batch(snapshot);
  const results = operations.map((operation) => batch.apply(operation));
  return { results, changes: batch.changes(), companions: listCompanions(operations, results) };
}

/** A companion write that belongs to the operation at this place of the batch. */
export interface CompanionToRun {
  readonly operationIndex: number;
  readonly write: CompanionWrite;
}

// A replayed grant ran its companion when it was booked.
function listCompanions(operations: readonly LedgerOperation[], results: readonly OperationResult[]): CompanionToRun[] {
  return operations.flatMap((operation, operationIndex) => {
    const result = results[operationIndex];
    const write = operation.kind === 'grant' ? operation.input.companion : undefined;
    return write && result?.status === 'granted' && !result.isReplay ? [{ operationIndex, write }] : [];
  });
}

class Batch {
  readonly #wallets = new Map<string, WalletRow>();
  readonly #holds = new Map<string, HoldRow>();
  readonly #newHolds: HoldRow[] = [];
  readonly #resolvedHolds: HoldRow[] = [];
  readonly #newTransfers: TransferRow[] = [];
  readonly #newCallRecords = new Map<string, CallRecordRow>();
  readonly #bookedNow = new Set<string>();

  constructor(private readonly snapshot: BatchSnapshot) {}

  changes(): BatchChanges {
    return {
      wallets: [...this.#wallets.values()],
      newHolds: this.#newHolds,
      // A hold that was opened and resolved within this very batch is written once, as resolved.
      resolvedHolds: this.#resolvedHolds.filter((hold) => !this.#newHolds.includes(hold)),
      newTransfers: this.#newTransfers,
      newCallRecords: [...this.#newCallRecords.values()],
    };
  }

  apply(operation: LedgerOperation): OperationResult {
    switch (operation.kind) {
      case 'hold':
        return this.#hold(operation.input, operation.instance);
      case 'settle':
        return this.#settle(operation.input);
      case 'void':
        return this.#voidHold(operation.input.callId);
      case 'grant':
        return this.#grant(operation.input);
    }
  }

  #hold(input: HoldInput, instance: string): HoldResult {
    const wallet = this.#findWallet(input.accountId);
    const earlier = this.#findHold(input.callId);
    if (earlier?.state === 'open') {
      return { status: 'held', heldMillicredits: toMillicredits(earlier.amount), ...after(wallet) };
    }

    const available = wallet ? availableIn(wallet) : 0;
    const amount = Math.min(input.amountMillicredits, Math.max(available, 0));
    const reason = earlier ? 'call_already_ended' : this.#findHoldRefusal(input, wallet, amount);
    if (!wallet || reason) {
      return {
        status: 'refused',
        reason: reason ?? 'wallet_not_open',
        availableMillicredits: toMillicredits(available),
        pendingMillicredits: toMillicredits(wallet?.debits_pending ?? 0),
      };
    }
    const hold: HoldRow = {
      id: input.callId,
      wallet: wallet.id,
      key_id: input.keyId,
      amount,
      state: 'open',
      posted: 0,
      progress: 0,
      lease_until_ms: this.snapshot.nowMs + leaseMs,
      instance,
    };
    wallet.debits_pending += amount;
    this.#holds.set(hold.id, hold);
    this.#newHolds.push(hold);
    this.#book(wallet, {
      id: hold.id,
      type: 'hold',
      from: wallet.id,
      to: systemAccounts.usage,
      amount,
      holdId: hold.id,
    });
    return { status: 'held', heldMillicredits: toMillicredits(amount), ...after(wallet) };
  }

  #settle(input: SettleInput): SettleResult {
    const hold = this.#findHold(input.callId);
    const wallet = hold && this.#findWallet(hold.wallet);
    if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
    if (hold.state !== 'open') return this.#replaySettlement(hold, wallet);

    const { facts } = input;
    const cost = (facts.promptTokens + facts.completionTokens) * facts.millicreditsPerToken;
    const fromHold = Math.min(cost, hold.amount);
    this.#resolveHold(hold, wallet, cost === 0 ? 'released' : 'settled', fromHold);
    const fromBalance = Math.min(cost - fromHold, Math.max(availableIn(wallet), 0));
    if (fromBalance > 0) {
      wallet.debits_posted += fromBalance;
      this.#book(wallet, {
        id: `${hold.id}:o`,
        type: 'overage',
        from: wallet.id,
        to: systemAccounts.usage,
        amount: fromBalance,
        holdId: hold.id,
      });
    }
    const absorbed = cost - fromHold - fromBalance;
    if (absorbed > 0) {
      this.#book(wallet, {
        id: `${hold.id}:a`,
        type: 'absorbed',
        from: systemAccounts.absorbed,
        to: systemAccounts.usage,
        amount: absorbed,
        holdId: hold.id,
      });
    }
    const charged = fromHold + fromBalance;
    this.#newCallRecords.set(hold.id, toCallRecord(input, hold, charged, absorbed));
    return settled(charged, absorbed, wallet, false);
  }

  #voidHold(callId: string): SettleResult {
    const hold = this.#findHold(callId);
    const wallet = hold && this.#findWallet(hold.wallet);
    if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
    if (hold.state !== 'open') return this.#replaySettlement(hold, wallet);
    this.#resolveHold(hold, wallet, 'released', 0);
    return settled(0, 0, wallet, false);
  }

  #grant(input: GrantInput): GrantResult {
    const wallet = this.#findWallet(input.accountId);
    if (!wallet || wallet.state === 'closed') return { status: 'refused', reason: 'wallet_not_open' };
    const isReplay = this.snapshot.bookedTransferIds.has(input.transferId) || this.#bookedNow.has(input.transferId);
    if (!isReplay) {
      wallet.credits_posted += input.amountMillicredits;
      wallet.debt = Math.min(wallet.debt, Math.max(0, -availableIn(wallet)));
      const from = input.type === 'purchase' ? systemAccounts.sales : systemAccounts.grants;
      this.#book(wallet, {
        id: input.transferId,
        type: input.type,
        from,
        to: wallet.id,
        amount: input.amountMillicredits,
        holdId: null,
      });
    }
    return { status: 'granted', isReplay, ...after(wallet) };
  }

  #findHoldRefusal(input: HoldInput, wallet: WalletRow | null, amount: number) {
    if (wallet?.state !== 'open') return 'wallet_not_open' as const;
    if (!this.snapshot.activeKeyIds.has(input.keyId)) return 'key_revoked' as const;
    if (amount >= input.acceptFromMillicredits && amount > 0) return null;
    const wouldSuffice = availableIn(wallet) + wallet.debits_pending >= input.acceptFromMillicredits;
    return wouldSuffice ? ('reserved' as const) : ('insufficient' as const);
  }

  #resolveHold(hold: HoldRow, wallet: WalletRow, state: 'settled' | 'released', posted: number): void {
    hold.state = state;
    hold.posted = posted;
    this.#resolvedHolds.push(hold);
    wallet.debits_pending -= hold.amount;
    wallet.debits_posted += posted;
    this.#book(wallet, {
      id: `${hold.id}:r`,
      type: state,
      from: wallet.id,
      to: systemAccounts.usage,
      amount: posted,
      holdId: hold.id,
      resolves: hold.id,
    });
  }

  #replaySettlement(hold: HoldRow, wallet: WalletRow): SettleResult {
    const record = this.#newCallRecords.get(hold.id) ?? this.snapshot.callRecords.get(hold.id);
    return settled(record?.charged_millicredits ?? hold.posted, record?.absorbed_millicredits ?? 0, wallet, true);
  }

  #findWallet(id: string): WalletRow | null {
    const changed = this.#wallets.get(id);
    if (changed) return changed;
    const read = this.snapshot.wallets.get(id);
    if (!read) return null;
    const copy = { ...read };
    this.#wallets.set(id, copy);
    return copy;
  }

  #findHold(id: string): HoldRow | null {
    const changed = this.#holds.get(id);
    if (changed) return changed;
    const read = this.snapshot.holds.get(id);
    if (!read) return null;
    const copy = { ...read };
    this.#holds.set(id, copy);
    return copy;
  }

  #book(wallet: WalletRow, entry: JournalEntry): void {
    wallet.seq += 1;
    this.#bookedNow.add(entry.id);
    this.#newTransfers.push({
      wallet: wallet.id,
      wallet_seq: wallet.seq,
      id: entry.id,
      type: entry.type,
      debit_account: entry.from,
      credit_account: entry.to,
      amount: toMillicredits(entry.amount),
      available_after: availableIn(wallet),
      posted_after: wallet.credits_posted - wallet.debits_posted,
      hold_id: entry.holdId,
      resolves: entry.resolves ?? null,
      at_ms: this.snapshot.nowMs,
    });
  }
}

interface JournalEntry {
  readonly id: string;
  readonly type: TransferType;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly holdId: string | null;
  readonly resolves?: string;
}

function availableIn(wallet: WalletRow): number {
  return wallet.credits_posted - wallet.debits_posted - wallet.debits_pending;
}

function after(wallet: WalletRow | null): { availableAfterMillicredits: Millicredits } {
  return { availableAfterMillicredits: toMillicredits(wallet ? availableIn(wallet) : 0) };
}

function settled(charged: number, absorbed: number, wallet: WalletRow, isReplay: boolean): SettleResult {
  return {
    status: 'settled',
    chargedMillicredits: toMillicredits(charged),
    absorbedMillicredits: toMillicredits(absorbed),
    ...after(wallet),
    isReplay,
  };
}

function toCallRecord(input: SettleInput, hold: HoldRow, charged: number, absorbed: number): CallRecordRow {
  const { facts } = input;
  return {
    call_id: input.callId,
    account_id: hold.wallet,
    key_id: hold.key_id,
    model: facts.model,
    provider: facts.provider,
    tier: facts.tier,
    millicredits_per_token: facts.millicreditsPerToken,
    is_streamed: facts.isStreamed ? 1 : 0,
    outcome: facts.outcome,
    error_code: facts.errorCode,
    finish_reason: facts.finishReason,
    usage_source: facts.usageSource,
    prompt_tokens: facts.promptTokens,
    completion_tokens: facts.completionTokens,
    held_millicredits: hold.amount,
    charged_millicredits: charged,
    absorbed_millicredits: absorbed,
    started_at_ms: facts.startedAtMs,
    first_byte_ms: facts.firstByteMs,
    total_ms: facts.totalMs,
  };
}
