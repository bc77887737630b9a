import { MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { leastIdAt } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { AccountEventEntity } from './account-event.entity.js';
import type { Actor } from './acting.js';
import { noteEvent } from './note-event.js';

const dayMs = 24 * 60 * 60_000;
const waitingMax = 1_000;
const perAccountAndDayMax = 20;

/**
 * Writes down failed sign-ins a few seconds later, so that nobody learns from how long the refusal takes whether there is such
 * an account. At most 20 of an account in 24 hours; those beyond, and beyond 1,000 that wait, are left out.
 */
export class FailedSignIns {
  readonly #waiting: { readonly accountId: string; readonly actor: Actor }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flush: Promise<void> = Promise.resolve();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Remembers a failure. @param accountId null: of no account; nothing is written then. */
  note(accountId: string | null, actor: Actor): void {
    if (accountId !== null && this.#waiting.length < waitingMax) this.#waiting.push({ accountId, actor });
  }

  start(intervalMs = 3_000): void {
    this.#timer = setInterval(() => {
      this.#flush = this.#flush
        .then(() => this.writeDown())
        .catch((error: unknown) => this.logger.warn('failed_sign_ins_not_noted', { error }));
    }, intervalMs).unref();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#flush;
  }

  /** Writes down what waits. */
  async writeDown(): Promise<void> {
    for (const { accountId, actor } of this.#waiting.splice(0)) {
      await this.unitOfWork.transactForServer(async (transaction) => {
        const id = MoreThanOrEqual(leastIdAt('accountEvent', this.clock.nowMs() - dayMs));
        const known = await transaction.countBy(AccountEventEntity, { accountId, kind: 'sign_in_failed', id });
        if (known < perAccountAndDayMax) await noteEvent(transaction, { accountId, kind: 'sign_in_failed' }, actor);
      });
    }
  }
}
