import type { BalanceAlertRule, BalanceAlerts } from '../alerts/balance-alerts.js';
import { actForServer } from '../audit/acting.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import type { AutoTopUp } from './auto-top-up.js';
import type { TopUpSettings } from './top-up-settings.js';

export interface BalanceWatchParts {
  readonly settings: Pick<TopUpSettings, 'findThreshold'>;
  readonly alerts: Pick<BalanceAlerts, 'findRule' | 'alertIfNeeded' | 'listUntold'>;
  /** null: nothing is sold here. */
  readonly topUp: Pick<AutoTopUp, 'topUpIfNeeded' | 'sweep'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What would make an account worth a look. */
interface Rule {
  readonly topUpBelow: number | null;
  readonly alertAt: BalanceAlertRule | null;
  readonly untilElapsedMs: number;
}

/** Other instances hear of changed settings after so long; this one at once. */
const ruleKeptMs = 10_000;
const rulesMax = 20_000;
const lookedAtOnceMax = 8;
const accountsWaitingMax = 20_000;

/**
 * Hears what calls leave of each balance, and looks at those that need it: alerts first, then the automatic top-up. Never on
 * a call's way: hearing only writes an account down. What it hears is a hint; what is done is decided on the rows. An account that could not
 * be looked at, or not be written down, is looked at by the next sweep, and all that have an alert by the first one after a start, so
 * that no fall stays untold with a process that died, though the account makes no call any more.
 */
export class BalanceWatch {
  readonly #rules = new Map<string, Rule>();
  readonly #waiting = new Set<string>();
  readonly #looks = new Map<string, Promise<void>>();
  /** Those whose look failed: at most `accountsWaitingMax`. */
  readonly #failed = new Set<string>();
  /** Whether no account has fallen unseen, as far as this process can know. */
  #isCaughtUp = false;
  readonly #job: RepeatedJob;
  #lastDoneAtMs: number | null = null;
  #isClosed = false;

  constructor(private readonly parts: BalanceWatchParts) {
    this.#job = new RepeatedJob({
      run: () => this.sweep(),
      intervalMs: 60_000,
      onFailure: (error) => parts.logger.warn('top_up_sweep_failed', { message: (error as Error).message }),
    });
  }

  /** When it last looked for what was missed. */
  get lastDoneAtMs(): number | null {
    return this.#lastDoneAtMs;
  }

  /** Looks about every minute for what was missed, here or on a server that died. */
  start(): void {
    this.#job.startAfterInterval();
  }

  /** Takes a balance as it was just committed: what the account has, reservations not taken off. */
  noteBalance(accountId: string, balanceMillicredits: number): void {
    const rule = this.#rules.get(accountId);
    const isKnown = rule !== undefined && rule.untilElapsedMs > this.parts.clock.elapsedMs();
    if (isKnown && !isConcerned(rule, balanceMillicredits)) return;
    if (this.#isClosed) return;
    // More than this wait for the sweep.
    if (this.#waiting.size < accountsWaitingMax) this.#waiting.add(accountId);
    else this.#isCaughtUp = false;
    this.#lookAtWaiting();
  }

  /** Its owner has changed something, or nobody knows how it stands. */
  forget(accountId: string): void {
    this.#rules.delete(accountId);
    this.noteBalance(accountId, 0);
  }

  /** Resolves when nothing that was noted is still to be looked at. */
  async settle(): Promise<void> {
    while (this.#looks.size > 0) await Promise.all(this.#looks.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.#job.close();
    await this.settle();
  }

  /** Looks for what was missed, here or on a server that died. */
  async sweep(): Promise<void> {
    const failed = [...this.#failed];
    this.#failed.clear();
    for (const accountId of failed) this.forget(accountId);
    if (!this.#isCaughtUp) await this.#catchUp();
    await this.parts.topUp?.sweep();
    this.#lastDoneAtMs = this.parts.clock.nowMs();
  }

  async #catchUp(): Promise<void> {
    const { alerts } = this.parts;
    this.#isCaughtUp = true;
    try {
      for await (const accountId of alerts.listUntold()) {
        if (this.#isClosed) return;
        await alerts.alertIfNeeded(accountId).catch((error: unknown) => this.#noteFailure(accountId, error));
      }
    } catch (error) {
      this.#isCaughtUp = false;
      this.#noteFailure(null, error);
    }
  }

  #noteFailure(accountId: string | null, error: unknown): void {
    if (accountId !== null && this.#failed.size < accountsWaitingMax) this.#failed.add(accountId);
    else this.#isCaughtUp = false;
    this.parts.logger.warn('balance_not_looked_at', { accountId, message: (error as Error).message });
  }

  #lookAtWaiting(): void {
    for (const accountId of this.#waiting) {
      if (this.#looks.size >= lookedAtOnceMax) return;
      // What is noted during a look is looked at after it.
      if (this.#looks.has(accountId)) continue;
      this.#waiting.delete(accountId);
      // Whoever's request was booked in the same moment as what is looked at has nothing to do with it.
      const look = actForServer(() => this.#look(accountId))
        .catch((error: unknown) => this.#noteFailure(accountId, error))
        .finally(() => {
          this.#looks.delete(accountId);
          this.#lookAtWaiting();
        });
      this.#looks.set(accountId, look);
    }
  }

  async #look(accountId: string): Promise<void> {
    const { alerts, clock, settings, topUp } = this.parts;
    const [alertAt, topUpBelow] = await Promise.all([alerts.findRule(accountId), settings.findThreshold(accountId)]);
    if (this.#rules.size >= rulesMax) this.#rules.clear();
    this.#rules.set(accountId, { topUpBelow, alertAt, untilElapsedMs: clock.elapsedMs() + ruleKeptMs });
    if (alertAt !== null) {
      await alerts.alertIfNeeded(accountId);
      const after = await alerts.findRule(accountId);
      this.#rules.set(accountId, { topUpBelow, alertAt: after, untilElapsedMs: clock.elapsedMs() + ruleKeptMs });
    }
    if (topUpBelow !== null) await topUp?.topUpIfNeeded(accountId);
  }
}

function isConcerned({ topUpBelow, alertAt }: Rule, balanceMillicredits: number): boolean {
  if (topUpBelow !== null && balanceMillicredits < topUpBelow) return true;
  if (alertAt === null) return false;
  const { tellBelow, armFrom } = alertAt;
  return (
    (tellBelow !== null && balanceMillicredits < tellBelow) || (armFrom !== null && balanceMillicredits >= armFrom)
  );
}
