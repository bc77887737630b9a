import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { type LogEntry, type RequestLog, type RequestToEnter, windowMs } from './request-log.js';
import { RequestMinuteEntity } from './request-minute.entity.js';

/** The moments lie in one column of this size. */
export const databaseLimitMax = 5_000;

/**
 * The log that all instances share in MySQL, where there is no Redis: one row for each account, locked while a request is
 * entered, measured by the database's own clock. Up to 5,000 requests in the window.
 */
export class DatabaseRequestLog implements RequestLog {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async enter({ accountId, limit }: RequestToEnter): Promise<LogEntry> {
    return this.unitOfWork.transact(async (transaction) => {
      const { moments: packed, nowMs } = await lockMinute(transaction, accountId);
      const moments = unpack(packed).filter((momentMs) => momentMs > nowMs - windowMs);
      const isEntered = moments.length < Math.min(limit, databaseLimitMax);
      if (isEntered) {
        moments.push(nowMs);
        await transaction.update(RequestMinuteEntity, { accountId }, { moments: pack(moments) });
      }
      const oldestMs = moments[0];
      const oldestLeavesInMs = oldestMs === undefined ? 0 : oldestMs + windowMs - nowMs;
      return { isEntered, count: moments.length, oldestLeavesInMs };
    });
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }
}

// Makes the row where it is missing, and keeps it from others until the transaction ends.
async function lockMinute(transaction: EntityManager, accountId: string): Promise<{ moments: string; nowMs: number }> {
  const read = async () => {
    const rows = (await transaction.query(
      'SELECT moments, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED) AS now_ms FROM request_minute WHERE account_id = ? FOR UPDATE',
      [accountId],
    )) as { moments: string; now_ms: number | string }[];
    return rows[0];
  };
  let row = await read();
  if (row === undefined) {
    await transaction.query("INSERT IGNORE INTO request_minute (account_id, moments) VALUES (?, '')", [accountId]);
    row = await read();
  }
  // SYSDATE is the moment of this very read; but the lock may have been waited for, so never before the newest.
  const newestMs = unpack(row?.moments ?? '').at(-1) ?? 0;
  return { moments: row?.moments ?? '', nowMs: Math.max(Number(row?.now_ms), newestMs) };
}

function unpack(packed: string): number[] {
  return packed === '' ? [] : packed.split(' ').map((moment) => Number.parseInt(moment, 36));
}

function pack(moments: readonly number[]): string {
  return moments.map((momentMs) => momentMs.toString(36)).join(' ');
}
