import type { EntityManager } from 'typeorm';
import { isRowLocked } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import { withinMs } from '../../kernel/jobs/within-ms.js';
import { MomentList, type Moments } from '../moment-list.js';
import { QuestionBatcher } from '../question-batcher.js';
import type { RequestToEnter, SlidingWindow, WindowEntry } from '../sliding-window.js';

/** The moments lie in one column of this size. */
const databaseLimitMax = 5_000;
/** A group that waits for a locked row, and then apart for its own, is done by then. */
const timeoutMs = 5_000;
/** For so long the requests of accounts whose group met with a locked row are entered apart from each other. */
const apartMs = 10_000;
const apartMax = 10_000;

/**
 * The window that all instances share in MySQL, where there is no Redis: one row for each account, locked while requests are
 * entered, measured by the database's own clock. All requests that come while one transaction is under way share the next one.
 * Up to 5,000 requests in the window.
 */
export class DatabaseSlidingWindow implements SlidingWindow {
  readonly #batcher = this.#openBatcher();
  readonly #apart = new Map<string, Apart>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws AppError `service_unavailable` when that takes five seconds, or somebody keeps the account's row locked; the requests of one account wait for it together. */
  enter(request: RequestToEnter): Promise<WindowEntry> {
    const entered = (this.#findApart(request.accountId) ?? this.#batcher).ask(request);
    return withinMs(timeoutMs, entered, new AppError('service_unavailable', lockedWords, { retryAfterMs }));
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }

  #openBatcher(): Batcher {
    return new QuestionBatcher((requests: readonly RequestToEnter[]) => this.#enterGroup(requests));
  }

  async #enterGroup(requests: readonly RequestToEnter[]): Promise<readonly (WindowEntry | Promise<WindowEntry>)[]> {
    try {
      return await this.unitOfWork.transactForServer(async (transaction) => {
        // Not tried again: each try waits for the lock anew, and keeps a connection from everybody meanwhile.
        return await enterAll(transaction, requests).catch((error: unknown) => {
          throw isRowLocked(error) ? new LockedRowError() : error;
        });
      });
    } catch (error) {
      if (!(error instanceof LockedRowError)) throw error;
      // Somebody keeps a row locked, such as an instance that stands still. The others need not wait for that one.
      const batchers = new Map(
        [...new Set(requests.map(({ accountId }) => accountId))].map((id) => [id, this.#putApart(id)]),
      );
      if (batchers.size === 1) throw new AppError('service_unavailable', lockedWords, { retryAfterMs });
      return requests.map((request) => (batchers.get(request.accountId) as Batcher).ask(request));
    }
  }

  #findApart(accountId: string): Batcher | null {
    const apart = this.#apart.get(accountId);
    if (apart === undefined) return null;
    if (performance.now() < apart.untilMs) return apart.batcher;
    this.#apart.delete(accountId);
    return null;
  }

  #putApart(accountId: string): Batcher {
    const batcher = this.#apart.get(accountId)?.batcher ?? this.#openBatcher();
    if (this.#apart.size >= apartMax) this.#apart.clear();
    this.#apart.set(accountId, { untilMs: performance.now() + apartMs, batcher });
    return batcher;
  }
}

type Batcher = QuestionBatcher<RequestToEnter, WindowEntry>;

/** An account for whose row nobody else waits until then; its own requests wait together, in one transaction. */
interface Apart {
  readonly untilMs: number;
  readonly batcher: Batcher;
}

const retryAfterMs = 2_000;
const lockedWords = 'The limits of this account cannot be looked up right now. Nothing was charged. Try again shortly.';

class LockedRowError extends Error {}

/** Decides requests in the order in which they came, under the locks of their accounts' rows. */
async function enterAll(
  transaction: EntityManager,
  requests: readonly RequestToEnter[],
): Promise<readonly WindowEntry[]> {
  const minutes = await lockMinutes(transaction, [...new Set(requests.map(({ accountId }) => accountId))].sort());
  const entries = requests.map(({ accountId, limit }) => {
    const minute = minutes.get(accountId);
    if (minute === undefined) throw new Error(`The row of ${accountId} in request_minute cannot be made.`);
    return minute.enter(Math.min(limit, databaseLimitMax));
  });
  const changed = [...minutes].filter(([, { isChanged }]) => isChanged);
  if (changed.length > 0) {
    // Each row is there, and locked: this changes it, in one statement for all.
    await transaction.query(
      `INSERT INTO request_minute (account_id, moments) VALUES ${changed.map(() => '(?, ?)').join(', ')} ON DUPLICATE KEY UPDATE moments = VALUES(moments)`,
      changed.flatMap(([accountId, minute]) => [accountId, minute.pack()]),
    );
  }
  return entries;
}

/** Makes the rows that are missing, and keeps all from others until the transaction ends. In one order, whoever locks them. */
async function lockMinutes(
  transaction: EntityManager,
  accountIds: readonly string[],
): Promise<Map<string, MomentList>> {
  const rows = await readMinutes(transaction, accountIds);
  const found = new Set(rows.map(({ account_id }) => account_id));
  const missing = accountIds.filter((accountId) => !found.has(accountId));
  if (missing.length > 0) {
    const values = missing.map(() => "(?, '')").join(', ');
    await transaction.query(`INSERT IGNORE INTO request_minute (account_id, moments) VALUES ${values}`, [...missing]);
    rows.push(...(await readMinutes(transaction, missing)));
  }
  // SYSDATE is the moment of the read itself, and a lock may have been waited for: the latest one holds for all.
  const nowMs = Math.max(...rows.map(({ now_ms }) => Number(now_ms)));
  return new Map(rows.map(({ account_id, moments }) => [account_id, new MomentList(moments, nowMs)]));
}

async function readMinutes(transaction: EntityManager, accountIds: readonly string[]): Promise<MinuteRow[]> {
  return transaction.query(
    `SELECT account_id, moments, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED) AS now_ms FROM request_minute WHERE account_id IN (${accountIds.map(() => '?').join(', ')}) ORDER BY account_id FOR UPDATE`,
    [...accountIds],
  );
}

interface MinuteRow {
  readonly account_id: string;
  readonly moments: Moments;
  readonly now_ms: number | string;
}
