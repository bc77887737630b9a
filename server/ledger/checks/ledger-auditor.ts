import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { Ledger } from '../ledger.js';
import type { LedgerActivity } from '../ledger-activity.js';
import { liveInvariants } from './check-ledger.js';
import { type Finding, type LedgerReport, listBroken, type VerificationScope } from './verify-ledger.js';

const dayMs = 86_400_000;
/** While something is broken, everything is looked at more often, so that it is seen when it has been mended. */
const recheckMs = 600_000;
/** A look that takes a second is followed by twenty of rest, however large the ledger is. */
const restPerLook = 20;
const closeTimeoutMs = 2_000;
/**
 * So long a live invariant is found broken before it counts. After a standstill of the machine, an outage of the database or a step of its
 * clock whoever runs renews first, and sweepers give them a lease's time for it.
 */
const liveBrokenMsMin = 2 * 60_000;
/** No look at a ledger takes so long; one that has not ended by then waits for a database that says nothing. */
const lookMsMax = 2 * 3_600_000;

/** What the last look at the ledger found. */
export interface LedgerAudit {
  /** The last look that could be had; null before the first. */
  readonly verifiedAtMs: number | null;
  /** The last look at everything. */
  readonly allVerifiedAtMs: number | null;
  /** How many invariants are broken, as far as is known; null before the first look. */
  readonly violations: number | null;
  /** Since when each look has failed, or the one under way has taken too long, so that nobody knows how the books are; null: the last one could be had. */
  readonly failingSinceMs: number | null;
}

export interface LedgerAuditorParts {
  verify(scope: VerificationScope, signal: AbortSignal): Promise<LedgerReport>;
  readonly ledger: Pick<Ledger, 'setWalletState' | 'findSettlementStanding'> & {
    readonly activity: Pick<LedgerActivity, 'takeTouchedWallets' | 'putBack'>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told of each sentence that a look found broken, for whoever makes sums anew that are only kept for speed. */
  readonly onBroken?: (finding: Finding) => void;
}

/**
 * Verifies the ledger while it is in use: about every minute the wallets that this process has touched, and once a day, and
 * soon after the start, everything. A wallet that is found broken is frozen and told of at error level. It repairs nothing.
 */
export class LedgerAuditor {
  #timer: NodeJS.Timeout | null = null;
  #look: Promise<void> | null = null;
  #lookBegan = { atMs: 0, elapsedMs: 0 };
  readonly #stop = new AbortController();
  #verifiedAtMs: number | null = null;
  #allVerifiedAtMs: number | null = null;
  #failingSinceMs: number | null = null;
  #allVerifiedElapsedMs = 0;
  readonly #broken = new Set<string>();
  /** Sentence of a live invariant -> since when each look has found it broken, as this process counts. */
  readonly #liveBrokenSince = new Map<string, number>();

  constructor(private readonly parts: LedgerAuditorParts) {}

  get audit(): LedgerAudit {
    return {
      verifiedAtMs: this.#verifiedAtMs,
      allVerifiedAtMs: this.#allVerifiedAtMs,
      violations: this.#verifiedAtMs === null ? null : this.#broken.size,
      failingSinceMs: this.#failingSinceMs ?? this.#findHangingSinceMs(),
    };
  }

  #findHangingSinceMs(): number | null {
    const { atMs, elapsedMs } = this.#lookBegan;
    return this.#look !== null && this.parts.clock.elapsedMs() - elapsedMs >= lookMsMax ? atMs : null;
  }

  /** Looks about every `intervalMs`, a little at random, so that instances do not all come at once. */
  start(intervalMs = 60_000, restMs = 0): void {
    this.#timer = setTimeout(
      async () => {
        const startedMs = performance.now();
        await this.look();
        const tookMs = performance.now() - startedMs;
        if (this.#timer) this.start(intervalMs, tookMs * restPerLook);
      },
      Math.max(restMs, intervalMs * (0.75 + Math.random() / 2)),
    );
    this.#timer.unref();
  }

  /** Looks once. While a look is under way, it answers with that one: there are never two. Never rejects. */
  look(): Promise<void> {
    this.#look ??= this.#lookNow().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  /** Gives up a look that is under way; it only reads, so nothing is left behind. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stop.abort();
    if (this.#look) await Promise.race([this.#look, sleep(closeTimeoutMs, undefined, { ref: false })]);
  }

  async #lookNow(): Promise<void> {
    const { ledger, logger, verify, clock } = this.parts;
    this.#lookBegan = { atMs: clock.nowMs(), elapsedMs: clock.elapsedMs() };
    const touched = ledger.activity.takeTouchedWallets();
    const scope = touched === null || this.#isAllDue() ? 'everything' : { wallets: touched };
    try {
      const inBooks = await verify(scope, this.#stop.signal);
      const inTime = inBooks.findings.map((finding) => this.#giveTime(finding));
      const report = { ...inBooks, findings: [...inTime, await this.#findMissingAnswers()] };
      this.#remember(scope, report);
      await this.#raiseAlarm(listBroken(report));
    } catch (error) {
      ledger.activity.putBack(touched);
      if (this.#stop.signal.aborted) return;
      this.#failingSinceMs ??= this.parts.clock.nowMs();
      logger.warn('ledger_verification_failed', { message: (error as Error).message });
    }
  }

  /** A live invariant that was not broken for long enough counts as kept. */
  #giveTime(finding: Finding): Finding {
    const { sentence, verdict } = finding;
    if (!(sentence in liveInvariants)) return finding;
    if (verdict === 'ok') {
      this.#liveBrokenSince.delete(sentence);
      return finding;
    }
    const nowMs = this.parts.clock.monotonicMs();
    const sinceMs = this.#liveBrokenSince.get(sentence) ?? nowMs;
    this.#liveBrokenSince.set(sentence, sinceMs);
    return nowMs - sinceMs < liveBrokenMsMin ? { ...finding, verdict: 'ok' } : finding;
  }

  /** What no statement can find: an answer that this process gave and that is nowhere. */
  async #findMissingAnswers(): Promise<Finding> {
    const { missingCount, tally } = await this.parts.ledger.findSettlementStanding();
    return {
      sentence: 'each answer that this process gave is booked, kept or in quarantine',
      verdict: missingCount === 0 ? 'ok' : 'broken',
      isAboutAll: true,
      rowCount: Math.abs(missingCount),
      rows: missingCount === 0 ? [] : [{ missing: missingCount, ...tally }],
      wallets: [],
      durationMs: 0,
    };
  }

  #isAllDue(): boolean {
    if (this.#allVerifiedAtMs === null) return true;
    const everyMs = this.#broken.size === 0 ? dayMs : recheckMs;
    return this.parts.clock.elapsedMs() - this.#allVerifiedElapsedMs >= everyMs;
  }

  // A look at some wallets can find something broken, but cannot tell that all is well again.
  #remember(scope: VerificationScope, report: LedgerReport): void {
    this.#verifiedAtMs = this.parts.clock.nowMs();
    this.#failingSinceMs = null;
    if (scope === 'everything') {
      this.#allVerifiedAtMs = this.#verifiedAtMs;
      this.#allVerifiedElapsedMs = this.parts.clock.elapsedMs();
    }
    for (const { sentence, verdict, isAboutAll } of report.findings) {
      if (verdict === 'broken') this.#broken.add(sentence);
      else if (isAboutAll) this.#broken.delete(sentence);
    }
  }

  async #raiseAlarm(broken: readonly Finding[]): Promise<void> {
    const { ledger, logger, onBroken = () => {} } = this.parts;
    for (const finding of broken) {
      const { sentence, rowCount, rows, wallets } = finding;
      onBroken(finding);
      logger.error('ledger_invariant_broken', { invariant: sentence, rowCount, rows, walletCount: wallets.length });
    }
    const wallets = [...new Set(broken.flatMap((finding) => finding.wallets))];
    await Promise.all(
      wallets.map(async (accountId) => {
        const result = await ledger
          .setWalletState({ accountId, state: 'frozen', reason: 'audit' })
          .catch((error: unknown) => {
            logger.error('wallet_freeze_failed', { accountId, error });
          });
        if (result?.status === 'changed') logger.error('wallet_frozen', { accountId });
      }),
    );
  }
}
