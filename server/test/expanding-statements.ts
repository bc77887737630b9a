/** What a change of the schema looks like beside which the release before goes on: nothing that it reads or writes is changed. */
const expandingForms: readonly RegExp[] = [
  /^CREATE TABLE (?:IF NOT EXISTS )?\w+ /i,
  /^CREATE INDEX \w+ ON \w+ /i,
  // No release has ever changed a line of the journal. Each start tries again to make these where the server refused them.
  /^CREATE TRIGGER ledger_transfer_refuses_\w+ BEFORE \w+ ON ledger_transfer /i,
  // A column that the release before does not know stays empty, or gets its default.
  /^ALTER TABLE \w+ ADD (?:COLUMN )?\w+ \w+(?:\([\d,]+\))?(?: NULL| NOT NULL DEFAULT .+)?$/i,
];

/** Allowed on a table that the same migration has made: nobody else writes to it yet. */
const formsOnNewTables: readonly RegExp[] = [
  /^CREATE UNIQUE INDEX \w+ ON (\w+) /i,
  /^ALTER TABLE (\w+) ADD CONSTRAINT /i,
  /^CREATE TRIGGER \w+ BEFORE \w+ ON (\w+) /i,
  /^INSERT INTO (\w+) /i,
];

/** What looks, or keeps the books of the migrations themselves. */
const bookkeeping =
  /^(?:SELECT|SHOW|SET|PRAGMA|BEGIN|START TRANSACTION|COMMIT|ROLLBACK)\b|^(?:CREATE TABLE (?:IF NOT EXISTS )?|INSERT INTO |DELETE FROM )(?:\w+\.)?(?:migrations|migration_step)\b|tollgate_probe/i;

/**
 * The statements of one migration that are not known to leave the release before alone. What is safe is listed; everything else,
 * such as dropping or renaming, a column that must be filled, or a rule for rows that are there, is not.
 */
export function findUnsafeStatements(statements: readonly string[]): string[] {
  const newTables = new Set<string>();
  return statements
    .map((statement) => statement.replaceAll(/["`]/g, '').replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => {
      const created = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+) /i.exec(statement)?.[1];
      if (created !== undefined) newTables.add(created);
      const isOnNewTable = formsOnNewTables.some((form) => newTables.has(form.exec(statement)?.[1] ?? ''));
      return !bookkeeping.test(statement) && !isOnNewTable && !expandingForms.some((form) => form.test(statement));
    });
}
