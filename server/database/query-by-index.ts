import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * Runs a query by one index and no other; answers its raw rows.
 *
 * MariaDB reads a page in the middle of a list (`account = ? AND id < ?`, newest first) from the newest row on, all the way
 * down to the page, unless the index is forced on it; then it begins at the page. TypeORM can only recommend an index, which
 * does not help. SQLite needs no telling, and knows no such words.
 * @param index `PRIMARY`, or the name of an index of the table.
 */
export async function queryByIndex(
  query: SelectQueryBuilder<ObjectLiteral>,
  index: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  // biome-ignore lint/correctness/useHookAtTopLevel: no hook of React's, whatever its name.
  const [sql, values] = query.useIndex(index).getQueryAndParameters();
  return query.connection.manager.query(sql.replace(' USE INDEX (', ' FORCE INDEX ('), values);
}

/** A table as a statement names it that is to read it by one index and no other. @param index `PRIMARY`, or the name of an index of the table. */
export function tableByIndex(reader: EntityManager, table: string, index: string): string {
  return reader.connection.options.type === 'mysql' ? `${table} FORCE INDEX (${index})` : table;
}

/**
 * Runs several queries of one table as one statement, each by the same index and no other; answers all their raw rows.
 * @param queries At least one, and at most 500, which is as much as SQLite takes at once.
 */
export async function queryTogether(
  queries: readonly SelectQueryBuilder<ObjectLiteral>[],
  index: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  const parts = queries.map((query) => {
    const [sql, values] = query.useIndex(index).getQueryAndParameters();
    return { sql: sql.replace(' USE INDEX (', ' FORCE INDEX ('), values };
  });
  const [first] = queries;
  return first === undefined ? [] : askTogether(first.connection.manager, parts);
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Runs statements as one, of at most 500, which answers the rows of all; each keeps an order and a limit of its own. */
export function askTogether(
  reader: EntityManager,
  statements: readonly Statement[],
): Promise<Readonly<Record<string, unknown>>[]> {
  // SQLite knows no brackets around a statement; with a table around it MySQL and MariaDB write all rows once more.
  const isMysql = reader.connection.options.type === 'mysql';
  const parts = statements.map(({ sql }, at) => (isMysql ? `(${sql})` : `SELECT * FROM (${sql}) AS part_${at}`));
  return reader.query(
    parts.join(' UNION ALL '),
    statements.flatMap(({ values }) => values),
  );
}
