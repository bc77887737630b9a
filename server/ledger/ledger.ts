import { crc32 } from 'node:zlib';
import { assertInvariant } from '../kernel/assert.js';
import { AsideLane } from './commits/aside-lane.js';
import { AwakeClock } from './commits/awake-clock.js';
import type { OperationResult } from './commits/decide-batch.js';
import { GroupCommit } from './commits/group-commit.js';
import type { LedgerStore } from './commits/ledger-store.js';
import { toVoid } from './commits/queued-operation.js';
import type { LeaseBook } from './leases/lease-book.js';
import { LedgerLeases, waitUntilRecalled } from './leases/ledger-leases.js';
import { LedgerActivity } from './ledger-activity.js';
import type { LedgerParts } from './ledger-parts.js';
import type {
  ExpiredHold,
  GrantInput,
  GrantResult,
  HoldInput,
  HoldResult,
  RenewInput,
  RenewResult,
  ReversalInput,
  SettleInput,
  SettleResult,
  WaiveInput,
  WaiveResult,
  WalletStateInput,
  WalletStateResult,
} from './ledger-types.js';
import { DurableSettlement } from './settlements/durable-settlement.js';
import { listDamagedFiles } from './settlements/read-spools.js';
import { SettlementQuarantine } from './settlements/settlement-quarantine.js';
import type { SettlementStanding } from './settlements/settlement-standing.js';
import type { LedgerOperation } from './tables/ledger-rows.js';

/** A hold must be had quickly or not at all; a settlement that takes longer goes to the spool. */
const holdTimeoutMs = 2_000;
const settlementTimeoutMs = 1_500;
const grantTimeoutMs = 10_000;

/** No call of any model comes near it; a larger figure is nonsense and is never multiplied. */
export const tokensMax = 10_000_000;

/**
 * The only code that moves credits. Everything it answers is durable: committed and on disk.
 *
 * Each operation is known by an id (the call's, the purchase's) and is booked once, however often it is asked for.
 * Operations of many callers share one transaction, and none can make another fail.
 */
export class Ledger {
  /** What this process commits, for those who watch over it. */
  readonly activity = new LedgerActivity();
  readonly #clock = new AwakeClock();
  readonly #aside: AsideLane;
  readonly #lanes: readonly GroupCommit[];
  readonly #settlement: DurableSettlement;
  readonly #quarantine: SettlementQuarantine;
  /** What lets calls in without a commit; null: each takes a hold. */
  readonly #leases: LedgerLeases | null;

  constructor(private readonly parts: LedgerParts) {
    const { stores, asideStore, spool, logger } = parts;
    this.#leases = this.#makeLeases();
    const watch = (store: LedgerStore) => this.activity.watch(this.#leases?.watch(store) ?? store);
    this.#aside = new AsideLane(watch(asideStore), this.#clock, logger);
    const shared = { aside: this.#aside, clock: this.#clock, logger };
    this.#lanes = stores.map((store) => new GroupCommit({ store: watch(store), ...shared }));
    this.#quarantine = new SettlementQuarantine(spool.folder);
    this.#settlement = new DurableSettlement({
      book: (input) => this.#bookSettlement(input),
      giveBack: (input) => this.#aside.take([toVoid(input, this.#clock.awakeMs())]),
      ...{ spool, quarantine: this.#quarantine, logger },
    });
  }

  /** How many settlements wait on this machine's disk to be booked. */
  get keptSettlementCount(): number {
    return this.#settlement.keptCount;
  }

  /** Operations of all lanes that wait for their commit. */
  get queuedCount(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.queuedCount, this.#aside.queuedCount);
  }

  /** What became of the settlements of this process, and what waits on this machine's disk. */
  async findSettlementStanding(): Promise<SettlementStanding> {
    const { spool } = this.parts;
    const [quarantinedCount, damagedFiles] = await Promise.all([
      this.#quarantine.count(),
      listDamagedFiles(spool.folder),
    ]);
    return {
      keptCount: spool.keptCount,
      oldestKeptAtMs: spool.oldestKeptAtMs,
      quarantinedCount,
      damagedFileCount: damagedFiles.length,
      movedFileCount: spool.movedFileCount,
      missingCount: this.#settlement.countMissing(),
      asideWalletCount: this.#aside.failingWalletCount,
      commitsFailingMs: this.activity.commits.standing.failingMs,
      room: spool.room,
      tally: { ...this.#settlement.tally },
    };
  }

  /** Whether a call's settlement waits on this machine's disk: to be booked, or to be decided about. @throws the disk's error. */
  async isSettlementWaiting(callId: string): Promise<boolean> {
    return this.parts.spool.has(callId) || (await this.#quarantine.find(callId)) !== null;
  }

  /** Makes room for settlements ahead of the first call. Never rejects; what came of it is in the standing. */
  async start(): Promise<void> {
    await this.parts.spool.start();
    this.#leases?.start();
  }

  /** What this process has leased, and what its calls have reserved of it; null: it has no leases. */
  get leases(): LeaseBook | null {
    return this.#leases?.book ?? null;
  }

  /** Renews the leases of this process now, drains what was recalled, and ends what is idle. Never rejects. */
  async renewLeases(): Promise<void> {
    await this.#leases?.renew();
  }

  /** Books a settlement at once that the ledger has refused before, and keeps it nowhere. @throws AppError when the database does not take it now. */
  async bookAgain(input: SettleInput): Promise<SettleResult> {
    assertTokenCounts(input.ending);
    return (await this.#submit({ kind: 'settle', input }, grantTimeoutMs)) as SettleResult;
  }

  /**
   * Reserves the worst case of a call's cost, so that calls side by side cannot overspend. Refuses when the wallet is short,
   * closed or frozen, or when the key was revoked, all judged in the same transaction. Where this process has leased enough of the
   * wallet, and surely may still let calls of the key in, it reserves in memory, at once; that is as durable, since the lease is.
   * @throws AppError `service_unavailable` when the database does not take it within two seconds, whatever the reason, or when
   *   there is no room on this machine's disk for its settlement; then nothing stays reserved.
   */
  placeHold(input: HoldInput): HoldResult | Promise<HoldResult> {
    assertInvariant(
      input.acceptFromMillicredits > 0 && input.acceptFromMillicredits <= input.amountMillicredits,
      'a hold asks for at least one millicredit and accepts no more than it asks for',
    );
    const { spool } = this.parts;
    // Without a wait if possible: operations of one account are carried out in the order in which they were asked for.
    if (spool.tryReserve(input.callId)) return this.#reserveOrHold(input);
    return spool.reserve(input.callId).then(() => this.#reserveOrHold(input));
  }

  #reserveOrHold(input: HoldInput): HoldResult | Promise<HoldResult> {
    const reserved = this.#leases?.book.tryReserve(input);
    if (reserved) return reserved;
    this.#leases?.book.makeRoomFor(input);
    return this.#hold(input);
  }

  async #hold(input: HoldInput): Promise<HoldResult> {
    const { instance, spool } = this.parts;
    try {
      const result = (await this.#submit({ kind: 'hold', input, instance }, holdTimeoutMs)) as HoldResult;
      if (result.status === 'refused') spool.release(input.callId);
      return result;
    } catch (error) {
      spool.release(input.callId);
      throw error;
    }
  }

  /**
   * Ends a call's hold and books its cost: tokens × price, out of the hold, then out of what is available; the operator absorbs
   * the rest, so usage never takes a balance below zero. No tokens means free. Writes the call's receipt in the same
   * transaction. Asked again, it answers the first settlement. While the database does not take it, for whatever reason, the
   * settlement is kept on disk and answered as `kept`: it will be booked. What the ledger itself refuses is `quarantined`.
   * @throws AppError `service_unavailable` when neither the database nor this machine's disk takes it: then the call must end
   *   with an error, and its hold is given back. `settlement_in_doubt`: the same, and it may turn out to be booked.
   */
  async settleHold(input: SettleInput): Promise<SettleResult> {
    assertTokenCounts(input.ending);
    return this.#settlement.settle(this.#leases?.book.cover(input) ?? input);
  }

  /** Gives a hold back for a call that was never sent and leaves no receipt. */
  async voidHold(callId: string, accountId: string): Promise<SettleResult> {
    this.parts.spool.release(callId);
    return (await this.#submit({ kind: 'void', input: { callId, accountId } }, settlementTimeoutMs)) as SettleResult;
  }

  /**
   * Tells that a call is still running: keeps its hold for another lease and writes down what it has used so far.
   * @returns refused when the hold is no longer open: it was taken for abandoned, and its settlement will be a late one.
   */
  async renewHold(input: RenewInput): Promise<RenewResult> {
    assertTokenCounts(input);
    const call = this.#leases?.book.find(input.callId);
    if (call) return this.#leases?.promote(call, input) as Promise<RenewResult>;
    return (await this.#submit({ kind: 'renew', input }, holdTimeoutMs)) as RenewResult;
  }

  /** Ends a hold whose lease ran out, charging what its call had provably used. Any other hold is left as it is. */
  async expireHold(input: ExpiredHold): Promise<SettleResult> {
    return (await this.#submit({ kind: 'expire', input }, settlementTimeoutMs)) as SettleResult;
  }

  /**
   * Makes it final that a call of whose process nothing is heard costs nothing, before it is made again: what its process asks for
   * it later charges nothing. One that holds credits or was charged is left as it is.
   * @throws AppError `service_unavailable` when the database does not take it; asking again is safe.
   */
  async waiveCall(input: WaiveInput): Promise<WaiveResult> {
    const operation = { kind: 'waive', input, instance: this.parts.instance } as const;
    return (await this.#submit(operation, holdTimeoutMs)) as WaiveResult;
  }

  /**
   * Adds credits, once per `transferId`, together with the companion write, if any: both are committed or neither.
   * @throws AppError `service_unavailable` when the database cannot answer within ten seconds; asking again is safe.
   */
  async grantCredits(input: GrantInput): Promise<GrantResult> {
    assertInvariant(input.amountMillicredits > 0, 'a grant is more than nothing');
    return (await this.#submit({ kind: 'grant', input }, grantTimeoutMs)) as GrantResult;
  }

  /**
   * Takes credits back, once per `transferId`: a refund, a dispute, a correction. The balance may fall below zero; then, when it answers,
   * no process lets a new call in, as after a freeze.
   * @throws AppError `service_unavailable` when the database cannot answer within ten seconds; asking again is safe.
   */
  async reverseGrant(input: ReversalInput): Promise<GrantResult> {
    assertInvariant(input.amountMillicredits > 0, 'a reversal is more than nothing');
    const { instance } = this.parts;
    return this.#recalled(input.accountId, await this.#submit({ kind: 'reversal', input, instance }, grantTimeoutMs));
  }

  /**
   * Freezes a wallet for a reason (no new calls; running ones are settled), or ends that reason; the last one opens it. Or
   * closes it for ever, which can be repeated. When it answers, no process lets a new call in: those that have leased of the wallet
   * have read that it is recalled, or have had no answer of the database for so long that they let nobody in.
   */
  async setWalletState(input: WalletStateInput): Promise<WalletStateResult> {
    if (input.state !== 'open') this.#leases?.book.drain(input.accountId);
    const operation = { kind: 'wallet_state', input, instance: this.parts.instance } as const;
    return this.#recalled(input.accountId, await this.#submit(operation, grantTimeoutMs));
  }

  /** The answer of a reversal or a change of state, once no other process lets calls in by its leases of the wallet. */
  async #recalled<Answer extends GrantResult | WalletStateResult>(
    accountId: string,
    result: OperationResult,
  ): Promise<Answer> {
    const { pendingRecalls = 0, ...answer } = result as { readonly pendingRecalls?: number };
    const recall = { kind: 'recall', input: { accountId }, instance: this.parts.instance } as const;
    const ask = () => this.#submit(recall, holdTimeoutMs);
    if (pendingRecalls > 0) await waitUntilRecalled(ask);
    return answer as Answer;
  }

  /** Finishes what is queued, then closes the database: within eight seconds where that says nothing. */
  async close(): Promise<void> {
    await this.#settlement.close();
    await this.#leases?.close();
    await Promise.all(this.#lanes.map((lane) => lane.close()));
    await this.#aside.close();
    this.#clock.close();
    const { stores, asideStore } = this.parts;
    await Promise.all([...new Set([...stores, asideStore])].map((store) => store.close()));
  }

  // Whatever is asked about one account goes the same way, in its order.
  #submit(operation: LedgerOperation, timeoutMs: number): Promise<OperationResult> {
    const lane = this.#lanes[crc32(operation.input.accountId) % this.#lanes.length];
    assertInvariant(lane !== undefined, 'a ledger has a store');
    return lane.submit(operation, timeoutMs);
  }

  #makeLeases(): LedgerLeases | null {
    const { leases, instance, logger } = this.parts;
    if (!leases) return null;
    return new LedgerLeases({
      ...{ ...leases, instance, logger },
      submit: (operation) => this.#submit(operation, settlementTimeoutMs),
      onReserved: (accountId) => this.activity.noteReserved(accountId),
    });
  }

  #bookSettlement(input: SettleInput): Promise<SettleResult> {
    return this.#submit({ kind: 'settle', input }, settlementTimeoutMs) as Promise<SettleResult>;
  }
}

function assertTokenCounts({ promptTokens, completionTokens }: Omit<RenewInput, 'callId' | 'accountId'>): void {
  for (const tokens of [promptTokens, completionTokens]) {
    assertInvariant(Number.isInteger(tokens) && tokens >= 0 && tokens <= tokensMax, `${tokens} is a token count`);
  }
}
