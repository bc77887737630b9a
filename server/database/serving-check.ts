import type { DataSource } from 'typeorm';
import type { Clock } from '../kernel/clock.js';
import { assertDatabaseServes } from './mysql-standing.js';
import type { UnitOfWork } from './unit-of-work.js';

/** On SQLite each question writes and syncs a page, and anybody may ask. */
const answerKeptMs = 5_000;

/**
 * Whether the database does what calls need. A file on a disk that became read-only, that fails or is full answers every
 * question that only reads; so SQLite is made to write, at most once in five seconds however many ask.
 */
export class ServingCheck {
  #last: { readonly atMs: number; readonly answer: Promise<void> } | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws the driver's error when it does not. */
  assertServes(): Promise<void> {
    if (this.source.options.type === 'mysql') return assertDatabaseServes(this.source);
    const nowMs = this.clock.nowMs();
    if (this.#last === null || Math.abs(nowMs - this.#last.atMs) >= answerKeptMs) {
      this.#last = { atMs: nowMs, answer: this.#write() };
    }
    return this.#last.answer;
  }

  // Changes nothing, and is written all the same: nobody else uses this number.
  async #write(): Promise<void> {
    await this.unitOfWork.transact((transaction) => transaction.query('PRAGMA user_version = 0'));
  }
}
