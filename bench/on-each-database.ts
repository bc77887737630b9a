import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { createDatabase } from './database-server.js';

type Measure = (title: string, address: DatabaseAddress, folder: string) => Promise<object>;

/**
 * Measures on a SQLite file in a folder of its own, which is removed afterwards, and then on MariaDB where there is one.
 * BENCH_DATABASE=sqlite or =mariadb measures on that one alone.
 * @returns what was measured; null: not measured there.
 */
export async function measureOnEachDatabase(
  measure: Measure,
): Promise<{ readonly sqlite: object | null; readonly mariadb: object | null }> {
  const { BENCH_DATABASE: only, BENCH_MYSQL_URL: mysqlUrl } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const file = join(folder, 'tollgate.db');
    const sqlite = only === 'mariadb' ? null : await measure('SQLite', { kind: 'sqlite', file }, folder);
    if (only === 'sqlite') return { sqlite, mariadb: null };
    if (mysqlUrl === undefined) {
      console.log('This machine has no MariaDB; that half is left out.');
      return { sqlite, mariadb: null };
    }
    return { sqlite, mariadb: await measure('MariaDB', await createDatabase(mysqlUrl), folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
