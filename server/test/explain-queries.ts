import type { DataSource, Logger } from 'typeorm';

/** A statement that was run, and the tables of which it read every row, or every entry of an index. */
export interface ExplainedStatement {
  readonly sql: string;
  readonly scans: readonly string[];
}

const pageMax = 1_000;

type PlanRow = Readonly<Record<string, unknown>>;

/**
 * Asks the database how it runs each SELECT that `work` makes through this source. What a plan is depends on how many rows there are,
 * so the tables should have thousands.
 */
export async function explainQueries(
  source: DataSource,
  work: () => Promise<unknown>,
): Promise<readonly ExplainedStatement[]> {
  const seen: { sql: string; values: readonly unknown[] }[] = [];
  const before = source.logger;
  source.logger = {
    logQuery: (sql: string, values?: unknown[]) => void seen.push({ sql, values: values ?? [] }),
    ...{
      logQueryError: () => {},
      logQuerySlow: () => {},
      logSchemaBuild: () => {},
      logMigration: () => {},
      log: () => {},
    },
  } satisfies Logger;
  try {
    await work();
  } finally {
    source.logger = before;
  }
  const explained: ExplainedStatement[] = [];
  for (const { sql, values } of seen) {
    if (!/^\s*SELECT/i.test(sql)) continue;
    explained.push({ sql, scans: await findScans(source, sql, values) });
  }
  return explained;
}

async function findScans(source: DataSource, sql: string, values: readonly unknown[]): Promise<readonly string[]> {
  if (source.options.type === 'better-sqlite3') {
    const plan: readonly PlanRow[] = await source.query(`EXPLAIN QUERY PLAN ${sql}`, [...values]);
    const details = plan.map(({ detail }) => String(detail));
    // The newest of all, read off the end of an index.
    const isPage =
      / LIMIT /.test(sql) && !/ WHERE /.test(sql) && !details.some((detail) => detail.includes('TEMP B-TREE'));
    // What was put together by the statement itself may be read whole.
    return isPage ? [] : details.filter((detail) => /^SCAN (?!CONSTANT|part_|\()/.test(detail));
  }
  const plan: readonly PlanRow[] = await source.query(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...values]);
  const isWhole = ({ type, rows }: PlanRow) => type === 'ALL' || (type === 'index' && Number(rows) > pageMax);
  return plan
    .filter((row) => isWhole(row) && !/^<|^$/.test(String(row.table ?? '')))
    .map(({ table, type }) => `${String(table)} (${String(type)})`);
}
