import type { DataSource } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type Metric, writeLabels } from '../../kernel/metrics/metric.js';

/** What mysql2's pool has; it has no public word for it. */
interface PoolInside {
  readonly _allConnections?: { readonly length: number };
  readonly _freeConnections?: { readonly length: number };
  readonly _connectionQueue?: { readonly length: number };
}

/** The connections of a MySQL source, and who waits for one; nothing on SQLite, which has one connection and no pool. */
export function listPoolMetrics(source: DataSource, database: 'primary' | 'replica'): Metric[] {
  if (source.options.type !== 'mysql') return [];
  const pool = (source.driver as MysqlDriver).pool as PoolInside | undefined;
  const open = pool?._allConnections?.length;
  const free = pool?._freeConnections?.length;
  const waiting = pool?._connectionQueue?.length;
  // A later mysql2 may keep them elsewhere; then nothing is said.
  if (open === undefined || free === undefined || waiting === undefined) return [];
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    kind: 'gauge',
    value,
    labels: writeLabels(['database'], [database]),
  });
  return [
    gauge('tollgate_database_connections', 'Connections of the pool, used or not.', open),
    gauge('tollgate_database_connections_used', 'Connections that serve somebody now.', open - free),
    gauge('tollgate_database_waiting', 'Requests that wait for a connection.', waiting),
  ];
}
