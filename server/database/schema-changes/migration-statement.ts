/** How to see in the schema whether a statement has been carried out. */
export interface SchemaLookup {
  /** Of `information_schema`; answers rows when the thing is there. */
  readonly sql: string;
  readonly parameters: readonly string[];
  /** Whether the statement is done when the thing is there, or when it is gone. */
  readonly isDoneWhen: 'found' | 'missing';
}

/** What a statement of a migration is, as far as running it a second time goes. */
export type MigrationStatement =
  /** It changes nothing. */
  | { readonly kind: 'read' }
  /** It changes the schema: committed by MySQL at once and as a whole. Without a lookup it may be repeated. */
  | { readonly kind: 'schema'; readonly lookup: SchemaLookup | null; readonly createdTable: string | null }
  /** It changes rows, and can share a transaction. */
  | { readonly kind: 'data' };

const tableSql = 'SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?';
const columnSql =
  'SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?';
const indexSql =
  'SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?';
const constraintSql =
  'SELECT 1 FROM information_schema.table_constraints WHERE table_schema = DATABASE() AND table_name = ? AND constraint_name = ?';
const triggerSql = 'SELECT 1 FROM information_schema.triggers WHERE trigger_schema = DATABASE() AND trigger_name = ?';

// What else may stand behind ADD and DROP; its name, if it has one, stands further on.
const notColumns =
  'COLUMN|PRIMARY|FOREIGN|CHECK|CONSTRAINT|UNIQUE|INDEX|KEY|FULLTEXT|SPATIAL|IF|PARTITION|PERIOD|SYSTEM';
const name = '(?:`?\\w+`?\\.)?`?(\\w+)`?';

interface SchemaForm {
  readonly pattern: RegExp;
  /** @param names What the pattern's groups caught. */
  readonly lookup: (...names: string[]) => SchemaLookup | null;
}

const found = (sql: string, ...parameters: string[]): SchemaLookup => ({ sql, parameters, isDoneWhen: 'found' });
const missing = (sql: string, ...parameters: string[]): SchemaLookup => ({ sql, parameters, isDoneWhen: 'missing' });
const form = (pattern: string, lookup: SchemaForm['lookup']): SchemaForm => ({
  pattern: new RegExp(`^\\s*${pattern.replaceAll(' ', '\\s+').replaceAll('%', name)}`, 'i'),
  lookup,
});

/*
 * Tried in this order. An ALTER with several clauses is known by its first one: InnoDB carries out all of them or none.
 */
const schemaForms: readonly SchemaForm[] = [
  form('CREATE TABLE (?:IF NOT EXISTS )?%', (table = '') => found(tableSql, table)),
  form('DROP TABLE (?:IF EXISTS )?%', (table = '') => missing(tableSql, table)),
  form('RENAME TABLE % TO %', (_from, to = '') => found(tableSql, to)),
  form('CREATE (?:UNIQUE )?INDEX % ON %', (index = '', table = '') => found(indexSql, table, index)),
  form('DROP INDEX % ON %', (index = '', table = '') => missing(indexSql, table, index)),
  form('CREATE TRIGGER %', (trigger = '') => found(triggerSql, trigger)),
  form('DROP TRIGGER (?:IF EXISTS )?%', (trigger = '') => missing(triggerSql, trigger)),
  form('ALTER TABLE % ADD CONSTRAINT %', (table = '', constraint = '') => found(constraintSql, table, constraint)),
  form('ALTER TABLE % DROP (?:CONSTRAINT|CHECK|FOREIGN KEY) %', (table = '', constraint = '') =>
    missing(constraintSql, table, constraint),
  ),
  form('ALTER TABLE % ADD (?:UNIQUE )?(?:INDEX|KEY) %', (table = '', index = '') => found(indexSql, table, index)),
  form('ALTER TABLE % DROP (?:INDEX|KEY) %', (table = '', index = '') => missing(indexSql, table, index)),
  form('ALTER TABLE % (?:RENAME COLUMN % TO|CHANGE(?: COLUMN)? %) %', (table = '', a, b, to = '') =>
    // A change that keeps the name says what the column shall be, as often as one likes.
    (a ?? b) === to ? null : found(columnSql, table, to),
  ),
  form('ALTER TABLE % MODIFY(?: COLUMN)? %', () => null),
  form(`ALTER TABLE % DROP (?:COLUMN )?(?!(?:${notColumns})\\b)%`, (table = '', column = '') =>
    missing(columnSql, table, column),
  ),
  form(`ALTER TABLE % ADD (?:COLUMN )?(?!(?:${notColumns})\\b)%`, (table = '', column = '') =>
    found(columnSql, table, column),
  ),
];

/**
 * Tells what a statement of a migration is. Only the forms listed here are known, so that none can be run whose second run
 * nobody has thought of.
 * @returns null for anything else.
 */
export function readMigrationStatement(sql: string): MigrationStatement | null {
  if (/^\s*(SELECT|SHOW)\b/i.test(sql)) return { kind: 'read' };
  if (/^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql)) return { kind: 'data' };
  // Several tables at once: MariaDB may have dropped or renamed some of them.
  if (/^\s*(DROP|RENAME)\s+TABLE\b[^(]*,/i.test(sql)) return null;
  for (const { pattern, lookup } of schemaForms) {
    const match = pattern.exec(sql);
    if (match === null) continue;
    const createdTable = /^\s*CREATE\s+TABLE\b/i.test(sql) ? (match[1] ?? null) : null;
    return { kind: 'schema', lookup: lookup(...(match.slice(1) as string[])), createdTable };
  }
  return null;
}
