import type { Pool } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type Metric, writeLabels } from '../../kernel/metrics/metric.js';
import { insideOf } from './driver-inside.js';

/** The connections of a MySQL source, and who waits for one; nothing on SQLite, which has one connection and no pool. */
export function listPoolMetrics(source: DataSource, database: 'primary' | 'replica'): Metric[] {
  if (source.options.type !== 'mysql') return [];
  const pool = (source.driver as MysqlDriver).pool as Pool | undefined;
  // Not opened yet, or closed.
  if (pool === undefined) return [];
  const { all, idle, waiting } = insideOf(pool);
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    kind: 'gauge',
    value,
    labels: writeLabels(['database'], [database]),
  });
  return [
    gauge('tollgate_database_connections', 'Connections of the pool, used or not.', all.length),
    gauge('tollgate_database_connections_used', 'Connections that serve somebody now.', all.length - idle.length),
    gauge('tollgate_database_waiting', 'Requests that wait for a connection.', waiting.length),
  ];
}
