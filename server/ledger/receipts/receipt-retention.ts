import { type EntityManager, In, MoreThan, Not } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { retentionDaysMax, retentionDaysMin } from '../../kernel/settings/retention-days.js';
import { ReceiptRetentionEntity } from '../tables/receipt-retention.entity.js';

export type RetentionChoice = Readonly<ReceiptRetentionEntity>;

/** For how long receipts are kept now, and from when on that changes. */
export interface RetentionStanding {
  /** null: for ever. */
  readonly days: number | null;
  /** Who has chosen that; null: nobody, and `RETENTION_DAYS` says it. */
  readonly choice: RetentionChoice | null;
  /** What is chosen, and not in force yet. */
  readonly next: RetentionChoice | null;
}

interface Who {
  readonly reason: string;
  /** As the operators' log names them. */
  readonly createdBy: string;
}

/** What is removed does not come back, so a shorter time is in force only after this, and can be taken back until then. */
const shorterTimeDelayMs = 24 * 60 * 60_000;

/**
 * For how long receipts of calls are kept: what an operator has chosen last, or else what `RETENTION_DAYS` says. It is read from the
 * database before each step that removes some, so a longer time is in force on every instance at once.
 */
export class ReceiptRetention {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** `RETENTION_DAYS`; null: for ever. */
    private readonly setDays: number | null,
  ) {}

  /** In days after the month of a call; null: for ever. */
  async findDays(): Promise<number | null> {
    return (await this.findStanding()).days;
  }

  /**
   * The same for what removes some: the longest of all that may be in force, wherever the clock is set. A shorter time has surely come, and a
   * longer one that was chosen last stands although a clock that was set back has not come to it.
   * @param surelyMs A time that has surely come, as `ProvenTime` reads it.
   */
  async findDaysOfRemoval(surelyMs: number): Promise<number | null> {
    const rows = await this.unitOfWork.reader.find(ReceiptRetentionEntity, {
      order: { inForceAtMs: 'DESC', id: 'DESC' },
    });
    const surely = rows.find(({ inForceAtMs }) => inForceAtMs <= surelyMs);
    const others = rows.filter(({ inForceAtMs }) => inForceAtMs > surelyMs);
    const days = [surely ? surely.days : this.setDays, ...others.map((choice) => choice.days)];
    return days.reduce((one, other) => (one === null || other === null ? null : Math.max(one, other)));
  }

  findStanding(): Promise<RetentionStanding> {
    return this.#findStanding(this.unitOfWork.reader);
  }

  /**
   * Chooses another time, in place of what was chosen and is not in force yet. A longer one is in force at once, a shorter one after 24 hours.
   * @param days At least 62 and at most 36,500; null: for ever.
   * @param also Runs in the transaction that writes it.
   * @throws InvalidInputError for the days.
   */
  async choose(days: number | null, { reason, createdBy }: Who, also: (transaction: EntityManager) => Promise<void>) {
    if (days !== null && !(Number.isInteger(days) && days >= retentionDaysMin && days <= retentionDaysMax)) {
      const words = `Receipts are kept for ${retentionDaysMin} to ${retentionDaysMax} days, or for ever.`;
      throw new InvalidInputError('days', words);
    }
    const createdAtMs = this.clock.nowMs();
    await this.unitOfWork.transact(async (transaction) => {
      // A write comes first: on SQLite a transaction that has read may not write once another one was committed.
      await transaction.delete(ReceiptRetentionEntity, { inForceAtMs: MoreThan(createdAtMs) });
      const { days: before, choice } = await this.#findStanding(transaction);
      const isShorter = days !== null && (before === null || days < before);
      const inForceAtMs = isShorter ? createdAtMs + shorterTimeDelayMs : createdAtMs;
      const made = { id: createId('retentionChoice'), days, inForceAtMs, reason, createdBy, createdAtMs };
      await transaction.insert(ReceiptRetentionEntity, made);
      const kept = isShorter && choice !== null ? [choice.id, made.id] : [made.id];
      await transaction.delete(ReceiptRetentionEntity, { id: Not(In(kept)) });
      await also(transaction);
    });
  }

  async #findStanding(reader: EntityManager): Promise<RetentionStanding> {
    // Two, or a few more where operators chose at the same moment.
    const rows = await reader.find(ReceiptRetentionEntity, { order: { inForceAtMs: 'DESC', id: 'DESC' } });
    const nowMs = this.clock.nowMs();
    const choice = rows.find(({ inForceAtMs }) => inForceAtMs <= nowMs) ?? null;
    const next = rows.find(({ inForceAtMs }) => inForceAtMs > nowMs) ?? null;
    return { days: choice === null ? this.setDays : choice.days, choice, next };
  }
}
