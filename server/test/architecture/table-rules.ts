import { folderOf, isTestCode, type SourceTree, withoutComments } from './source-tree.js';
import { tablesElsewhere } from './tables-elsewhere.js';

/** Where a file names a table of another folder. */
export interface TableNamedElsewhere {
  readonly file: string;
  readonly table: string;
  readonly owner: string;
}

const entityName = /@Entity\(\s*'(\w+)'/g;
const textLiteral = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/**
 * Every table's name in a text outside of its owner's folder, by file and table. A name of several words counts wherever it stands; one
 * of a single word, such as `purchase`, behind a word of SQL. Migrations and tests may name every table, and `@ManyToOne`, which
 * only ties a key, a table of one word.
 */
function listTablesNamedElsewhere(tree: SourceTree): TableNamedElsewhere[] {
  const owners = listOwners(tree);
  return [...tree]
    .filter(([path]) => isProductionCode(path))
    .flatMap(([file, text]) => {
      const literals = [...withoutComments(text).matchAll(textLiteral)].map(([literal]) => literal);
      return [...owners]
        .filter(([, owner]) => owner !== folderOf(file))
        .filter(([table]) => literals.some((literal) => names(literal, table)))
        .map(([table, owner]) => ({ file, table, owner }));
    });
}

/** Every table that is named elsewhere and stands in no row of the list, and every row that nothing needs, each as one sentence. */
export function findTableViolations(tree: SourceTree, rows = tablesElsewhere): string[] {
  const found = listTablesNamedElsewhere(tree);
  const isAllowed = ({ file, table }: TableNamedElsewhere) =>
    rows.some((row) => row.file === file && row.tables.includes(table));
  const unknown = found
    .filter((named) => !isAllowed(named))
    .map(({ file, table, owner }) => `${file} names the table ${table}: ask server/${owner}/, which owns it.`);
  const idle = rows.flatMap(({ file, tables }) =>
    tables
      .filter((table) => !found.some((named) => named.file === file && named.table === table))
      .map((table) => `${file} names ${table} no more: take it off server/test/architecture/tables-elsewhere.ts.`),
  );
  return [...unknown, ...idle];
}

/** Table -> the folder of `server/` that has its entity. */
function listOwners(tree: SourceTree): ReadonlyMap<string, string> {
  const entities = [...tree].filter(([path]) => path.endsWith('.entity.ts'));
  return new Map(
    entities.flatMap(([path, text]) =>
      [...text.matchAll(entityName)].map(([, table = '']) => [table, folderOf(path)] as const),
    ),
  );
}

function isProductionCode(path: string): boolean {
  return /^server\/.*\.ts$/.test(path) && !isTestCode(path) && !path.startsWith('server/database/migrations/');
}

function names(literal: string, table: string): boolean {
  if (new RegExp(`\\b(FROM|JOIN|INTO|UPDATE|TABLE|EXISTS)\\s+${table}\\b`).test(literal)) return true;
  return table.includes('_') && new RegExp(`(?<![\\w.:/-])${table}(?![\\w-])`).test(literal);
}
