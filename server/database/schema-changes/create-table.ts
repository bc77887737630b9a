import type { ColumnOptions } from 'typeorm';
import { type QueryRunner, Table, TableCheck, type TableColumnOptions, TableForeignKey, TableIndex } from 'typeorm';

type ColumnShape = Pick<ColumnOptions, 'type' | 'length'>;

/** One table of a migration, in the words that mean the same on SQLite and on MySQL. */
export interface TableSpec {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnShape & { nullable?: boolean }>>;
  readonly primaryKey: readonly string[];
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  readonly indices?: Readonly<Record<string, readonly string[]>>;
  /** column -> table whose `id` it names; neither side may vanish under the other. */
  readonly references?: Readonly<Record<string, string>>;
  /** name -> condition that each row keeps, enforced by the database. */
  readonly checks?: Readonly<Record<string, string>>;
}

// TypeORM offers no way to name a table's collation; what stands behind ENGINE= is passed through as it is. The server's
// default collation would take `abc`, `ABC` and `ábc` for one and the same key.
const binaryInnodb = 'InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';

/** Creates a table, its indices and its checks on either database. */
export async function createTable(queryRunner: QueryRunner, spec: TableSpec): Promise<void> {
  const isSqlite = isSqliteRunner(queryRunner);
  const checks = Object.entries(spec.checks ?? {});
  await queryRunner.createTable(
    new Table({
      name: spec.name,
      engine: binaryInnodb,
      columns: Object.entries(spec.columns).map(([name, column]) => toTableColumn(spec, name, column)),
      uniques: [],
      indices: [...toIndices(spec.unique, { isUnique: true }), ...toIndices(spec.indices, { isUnique: false })],
      foreignKeys: Object.entries(spec.references ?? {}).map(
        ([column, table]) =>
          new TableForeignKey({
            name: `fk_${spec.name}_${column}`,
            columnNames: [column],
            referencedTableName: table,
            referencedColumnNames: ['id'],
            onDelete: 'RESTRICT',
            onUpdate: 'RESTRICT',
          }),
      ),
      checks: isSqlite ? checks.map(([name, expression]) => new TableCheck({ name, expression })) : [],
    }),
  );
  // TypeORM writes no CHECK on MySQL at all.
  if (isSqlite) return;
  for (const [name, expression] of checks) {
    await queryRunner.query(`ALTER TABLE ${spec.name} ADD CONSTRAINT ${name} CHECK (${expression})`);
  }
}

/** Whether a migration runs on SQLite, for the few things that the two databases do not share. */
export function isSqliteRunner(queryRunner: QueryRunner): boolean {
  return queryRunner.connection.options.type === 'better-sqlite3';
}

function toTableColumn(
  spec: TableSpec,
  name: string,
  column: ColumnShape & { nullable?: boolean },
): TableColumnOptions {
  return {
    name,
    type: String(column.type),
    ...(column.length === undefined ? {} : { length: String(column.length) }),
    isNullable: column.nullable ?? false,
    isPrimary: spec.primaryKey.includes(name),
  };
}

function toIndices(spec: TableSpec['indices'], kind: { readonly isUnique: boolean }): TableIndex[] {
  return Object.entries(spec ?? {}).map(
    ([name, columns]) => new TableIndex({ name, columnNames: [...columns], ...kind }),
  );
}
