import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { withinMs } from '../../kernel/jobs/within-ms.js';
import {
  describeWindow,
  isOutsideWindow,
  type TokenEntry,
  type TokenLog,
  type TokenSecond,
  type TokensToEnter,
} from '../token-log.js';
import { RowBatcher } from './row-batcher.js';

/** So long the end of an answer, which is billed by then, waits for its estimate to be corrected. */
const correctedMsMax = 1_000;

/** What is done to the tokens of one owner, under the lock of its row. */
interface Step {
  readonly ownerId: string;
  take(seconds: Map<number, number>, nowMs: number): Taken;
}

interface Taken {
  readonly entry: Omit<TokenEntry, 'correct'> | null;
  /** In which second something was entered. */
  readonly second: number;
}

/**
 * The log that all instances share in MySQL, where there is no Redis: one row for each account or key, locked while it changes,
 * measured by the database's own clock. All steps that come while one transaction is under way share the next one.
 */
export class DatabaseTokenLog implements TokenLog {
  readonly #batcher: RowBatcher<Step, Taken>;

  constructor(unitOfWork: UnitOfWork) {
    this.#batcher = new RowBatcher<Step, Taken>(unitOfWork, takeAll);
  }

  /** @throws as `RowBatcher.ask`. */
  async enter({ ownerId, tokens, limit }: TokensToEnter): Promise<TokenEntry> {
    const { entry, second } = await this.#batcher.ask({
      ownerId,
      take: (seconds, nowMs) => {
        const second = Math.floor(nowMs / 1_000);
        const used = [...seconds.values()].reduce((sum, count) => sum + count, 0);
        const isEntered = used + tokens <= limit;
        if (isEntered) seconds.set(second, (seconds.get(second) ?? 0) + tokens);
        return { entry: describeWindow([...seconds], { nowMs, isEntered, tokens, limit }), second };
      },
    });
    if (entry === null) throw new Error('The entry of tokens was not answered.');
    const correct = async (difference: number) => {
      // Where it cannot be told, the estimate stands: that is no more than a minute.
      if (entry.isEntered && difference !== 0) await this.#correct(ownerId, second, difference).catch(() => {});
    };
    return { ...entry, correct };
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }

  async #correct(ownerId: string, second: number, difference: number): Promise<void> {
    const corrected = this.#batcher.ask({
      ownerId,
      take: (seconds) => {
        const count = seconds.get(second);
        if (count !== undefined) seconds.set(second, count + difference);
        return { entry: null, second };
      },
    });
    await withinMs(correctedMsMax, corrected, 'The row of a token_minute is not to be had in time.');
  }
}

async function takeAll(transaction: EntityManager, steps: readonly Step[]): Promise<readonly Taken[]> {
  const { rows, nowMs } = await lockRows(transaction, [...new Set(steps.map(({ ownerId }) => ownerId))].sort());
  const taken = steps.map(({ ownerId, take }) => {
    const seconds = rows.get(ownerId);
    if (seconds === undefined) throw new Error(`The row of ${ownerId} in token_minute cannot be made.`);
    return take(seconds, nowMs);
  });
  // Each row is there, and locked: this changes it, in one statement for all.
  await transaction.query(
    `INSERT INTO token_minute (owner_id, seconds) VALUES ${[...rows].map(() => '(?, ?)').join(', ')} ON DUPLICATE KEY UPDATE seconds = VALUES(seconds)`,
    [...rows].flatMap(([ownerId, seconds]) => [ownerId, writeSeconds(seconds)]),
  );
  return taken;
}

/** Makes the rows that are missing, and keeps all from others until the transaction ends. In one order, whoever locks them. */
async function lockRows(transaction: EntityManager, ownerIds: readonly string[]) {
  const found = await readRows(transaction, ownerIds);
  const isFound = new Set(found.map(({ owner_id }) => owner_id));
  const missing = ownerIds.filter((ownerId) => !isFound.has(ownerId));
  if (missing.length > 0) {
    const values = missing.map(() => "(?, '')").join(', ');
    await transaction.query(`INSERT IGNORE INTO token_minute (owner_id, seconds) VALUES ${values}`, [...missing]);
    found.push(...(await readRows(transaction, missing)));
  }
  // SYSDATE is the moment of the read itself, and a lock may have been waited for: the latest one holds for all.
  const nowMs = Math.max(...found.map(({ now_ms }) => Number(now_ms)));
  return { rows: new Map(found.map((row) => [row.owner_id, readSeconds(row.seconds, nowMs)])), nowMs };
}

async function readRows(transaction: EntityManager, ownerIds: readonly string[]): Promise<TokenRow[]> {
  return transaction.query(
    `SELECT owner_id, seconds, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED) AS now_ms FROM token_minute WHERE owner_id IN (${ownerIds.map(() => '?').join(', ')}) ORDER BY owner_id FOR UPDATE`,
    [...ownerIds],
  );
}

function readSeconds(text: string, nowMs: number): Map<number, number> {
  const all = text.split(' ').filter((word) => word !== '');
  const seconds = all.map((word): TokenSecond => {
    const [second, tokens] = word.split(':');
    return [Number(second), Number(tokens)];
  });
  return new Map(seconds.filter(([second]) => !isOutsideWindow(second, nowMs)));
}

function writeSeconds(seconds: ReadonlyMap<number, number>): string {
  return [...seconds].map(([second, tokens]) => `${second}:${tokens}`).join(' ');
}

interface TokenRow {
  readonly owner_id: string;
  readonly seconds: string;
  readonly now_ms: number | string;
}
