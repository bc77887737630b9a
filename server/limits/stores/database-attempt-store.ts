import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { AttemptRule, AttemptStanding } from '../../kernel/attempt-counter.js';
import { withinMs } from '../../kernel/jobs/within-ms.js';
import type { Logger } from '../../kernel/logger.js';
import { QuestionBatcher } from '../question-batcher.js';
import type { AttemptStore } from '../shared-attempt-counter.js';

/** Longer than this nobody waits for the database before attempts are counted elsewhere. */
const timeoutMs = 3_000;
const sweepMs = 60_000;
const sweptAtOnceMax = 1_000;
const noAttempts: AttemptStanding = { waitMs: 0, count: 0, endsInMs: 0 };

interface Step {
  readonly id: string;
  /** Takes the row as it stands, under its lock. */
  take(row: AttemptRow, nowMs: number): AttemptStanding;
}

/**
 * Counts of attempts in MySQL, where there is no Redis: one row for each name, locked while it changes, measured by the
 * database's own clock. All steps that come while one transaction is under way share the next one.
 */
export class DatabaseAttemptStore implements AttemptStore {
  readonly #batcher = new QuestionBatcher((steps: readonly Step[]) =>
    this.unitOfWork.transactForServer((transaction) => takeAll(transaction, steps)),
  );
  #sweeper: NodeJS.Timeout | null = null;
  #sweep: Promise<void> = Promise.resolve();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly logger: Logger,
  ) {}

  /** Removes rows that say nothing any more, from now on. */
  start(): void {
    this.#sweeper = setInterval(() => {
      this.#sweep = this.removeEnded().catch((error) => this.logger.warn('attempt_counts_not_swept', { error }));
    }, sweepMs).unref();
  }

  async close(): Promise<void> {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    await this.#sweep;
  }

  count(id: string, { max, windowMs }: Pick<AttemptRule, 'max' | 'windowMs'>): Promise<AttemptStanding> {
    return this.#ask({
      id,
      take: (row, nowMs) => {
        // A window that ends later than a new one would was begun before the clock was set back.
        const isOver = row.endsAtMs <= nowMs || row.endsAtMs > nowMs + windowMs;
        if (isOver) Object.assign(row, { attempts: 0, endsAtMs: nowMs + windowMs });
        const endsInMs = Math.max(1, row.endsAtMs - nowMs);
        if (row.attempts >= max) return { waitMs: endsInMs, count: row.attempts, endsInMs };
        row.attempts += 1;
        return { waitMs: 0, count: row.attempts, endsInMs };
      },
    });
  }

  async forgive(id: string): Promise<void> {
    await this.#ask({
      id,
      take: (row) => {
        row.attempts = Math.max(0, row.attempts - 1);
        return noAttempts;
      },
    });
  }

  async forget(id: string): Promise<void> {
    await this.#ask({
      id,
      take: (row) => {
        Object.assign(row, { attempts: 0, endsAtMs: 0 });
        return noAttempts;
      },
    });
  }

  /** Removes rows whose windows have ended, at most 1,000. */
  async removeEnded(): Promise<void> {
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.query(
        `DELETE FROM attempt_count WHERE ends_at_ms < CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED) LIMIT ${sweptAtOnceMax}`,
      ),
    );
  }

  async #ask(step: Step): Promise<AttemptStanding> {
    return withinMs(timeoutMs, this.#batcher.ask(step), 'The database takes too long to count an attempt.');
  }
}

async function takeAll(transaction: EntityManager, steps: readonly Step[]): Promise<readonly AttemptStanding[]> {
  const { rows, nowMs } = await lockRows(transaction, [...new Set(steps.map(({ id }) => id))].sort());
  const standings = steps.map(({ id, take }) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error('A row of attempt_count cannot be made.');
    return take(row, nowMs);
  });
  // Each row is there, and locked: this changes it, in one statement for all.
  await transaction.query(
    `INSERT INTO attempt_count (name_hash, attempts, ends_at_ms) VALUES ${[...rows].map(() => '(?, ?, ?)').join(', ')} ON DUPLICATE KEY UPDATE attempts = VALUES(attempts), ends_at_ms = VALUES(ends_at_ms)`,
    [...rows].flatMap(([id, { attempts, endsAtMs }]) => [id, attempts, endsAtMs]),
  );
  return standings;
}

/** Makes the rows that are missing, and keeps all from others until the transaction ends. In one order, whoever locks them. */
async function lockRows(transaction: EntityManager, ids: readonly string[]) {
  const found = await readRows(transaction, ids);
  const isFound = new Set(found.map(({ name_hash }) => name_hash));
  const missing = ids.filter((id) => !isFound.has(id));
  if (missing.length > 0) {
    const values = missing.map(() => '(?, 0, 0)').join(', ');
    await transaction.query(`INSERT IGNORE INTO attempt_count (name_hash, attempts, ends_at_ms) VALUES ${values}`, [
      ...missing,
    ]);
    found.push(...(await readRows(transaction, missing)));
  }
  const nowMs = Math.max(...found.map(({ now_ms }) => Number(now_ms)));
  const rows = found.map(({ name_hash, attempts, ends_at_ms }): [string, AttemptRow] => [
    name_hash,
    { attempts: Number(attempts), endsAtMs: Number(ends_at_ms) },
  ]);
  return { rows: new Map(rows), nowMs };
}

async function readRows(transaction: EntityManager, ids: readonly string[]): Promise<FoundRow[]> {
  return transaction.query(
    `SELECT name_hash, attempts, ends_at_ms, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED) AS now_ms FROM attempt_count WHERE name_hash IN (${ids.map(() => '?').join(', ')}) ORDER BY name_hash FOR UPDATE`,
    [...ids],
  );
}

interface AttemptRow {
  attempts: number;
  endsAtMs: number;
}

interface FoundRow {
  readonly name_hash: string;
  readonly attempts: number;
  readonly ends_at_ms: number | string;
  readonly now_ms: number | string;
}
