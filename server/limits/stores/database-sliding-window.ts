import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { MomentList, type Moments } from '../moment-list.js';
import type { RequestToEnter, SlidingWindow, WindowEntry } from '../sliding-window.js';
import { RowBatcher } from './row-batcher.js';

/** The moments lie in one column of this size. */
const databaseLimitMax = 5_000;

type OwnedRequest = RequestToEnter & { readonly ownerId: string };

/**
 * The window that all instances share in MySQL, where there is no Redis: one row for each account, locked while requests are
 * entered, measured by the database's own clock. All requests that come while one transaction is under way share the next one.
 * Up to 5,000 requests in the window.
 */
export class DatabaseSlidingWindow implements SlidingWindow {
  readonly #batcher: RowBatcher<OwnedRequest, WindowEntry>;

  constructor(unitOfWork: UnitOfWork) {
    this.#batcher = new RowBatcher<OwnedRequest, WindowEntry>(unitOfWork, enterAll);
  }

  /** @throws as `RowBatcher.ask`; the requests of one account wait for its row together. */
  enter(request: RequestToEnter): Promise<WindowEntry> {
    return this.#batcher.ask({ ...request, ownerId: request.accountId });
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }
}

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
