import type { DataSource } from 'typeorm';
import type { Clock } from '../../kernel/clock.js';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import type { TellDatabaseNews } from '../database-news.js';
import { proveMysqlServer } from './prove-mysql.js';

/** Beyond this the times that people read disagree with each other. */
const clockWarnedMs = 2_000;

export interface DatabaseProof {
  readonly clock: Clock;
  readonly tell: TellDatabaseNews;
  /** By how much this machine's clock may differ from the database's: half of what a lease lasts. */
  readonly clockSkewMsMax: number;
}

/** What the database was found not to do; nothing was changed. One line, with the remedy. */
class UnprovenDatabaseError extends PlainFailure {
  override readonly name = 'UnprovenDatabaseError';
}

/**
 * Proves at the start what the ledger rests on, by trying it out on an open database whose schema is up to date. Harmless for
 * whoever uses it at the same time.
 * @throws UnfitServerError or UnprovenDatabaseError, one line each; or the driver's error.
 */
export async function proveDatabase(source: DataSource, proof: DatabaseProof): Promise<void> {
  if (source.options.type !== 'mysql') {
    await proveSqliteFile(source);
    return;
  }
  await compareClocks(source, proof);
  await proveMysqlServer(source, proof.clock.nowMs());
}

// The engine is a part of this program; what it cannot choose are the file system, and what somebody set for all its connections.
async function proveSqliteFile(source: DataSource): Promise<void> {
  const wanted = { journal_mode: 'wal', synchronous: '2', foreign_keys: '1', ignore_check_constraints: '0' };
  const found: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const [row] = (await source.query(`PRAGMA ${name}`)) as Record<string, unknown>[];
    const real = String(row?.[name]);
    if (real !== value) found.push(`${name} is ${real} and not ${value}`);
  }
  if (found.length === 0) return;
  throw new UnprovenDatabaseError(
    `DATABASE_URL: SQLite does not apply its settings: ${found.join(', ')}. Name a file on a local disk, and one that nobody else keeps open.`,
  );
}

// Claims of idempotent calls run out by the clocks of machines, holds by the database's; two machines differ at most twice as much.
async function compareClocks(source: DataSource, { clock, tell, clockSkewMsMax }: DatabaseProof): Promise<void> {
  const beforeMs = clock.nowMs();
  const [row] = await source.query('SELECT CAST(ROUND(UNIX_TIMESTAMP(SYSDATE(3)) * 1000) AS SIGNED) AS now_ms');
  const afterMs = clock.nowMs();
  const databaseMs = Number(row.now_ms);
  // What the question took is not held against anybody.
  const skewMs = Math.max(0, beforeMs - databaseMs, databaseMs - afterMs);
  const words = `The clocks of this machine and of the database are ${Math.round(skewMs / 100) / 10} s apart.`;
  if (skewMs > clockSkewMsMax) {
    throw new UnprovenDatabaseError(
      `DATABASE_URL: ${words} At most ${clockSkewMsMax / 1_000} s are allowed, half of HOLD_LEASE_SECONDS. Let both set their clocks by NTP.`,
    );
  }
  if (skewMs > clockWarnedMs) tell('database_clock_differs', `${words} Let both set their clocks by NTP.`);
}
