import type { DataSource } from 'typeorm';
import { UnfitServerError } from './check-mysql-server.js';

/** What the user needs on its database. The first four are for every day, the others for changes of the schema. */
const neededGrants = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'ALTER',
  'INDEX',
  'DROP',
  'REFERENCES',
] as const;

/** Useful, and not needed: with it the triggers are seen, and made where the server allows that. */
const wishedGrants = ['TRIGGER'] as const;

// About a table that does not exist, so that nothing is changed: rights are asked about before the table is looked for.
const probes = [
  'SELECT 1 FROM tollgate_probe',
  'INSERT INTO tollgate_probe (a) VALUES (1)',
  'UPDATE tollgate_probe SET a = 1',
  'DELETE FROM tollgate_probe',
  'ALTER TABLE tollgate_probe ADD COLUMN b int',
  'CREATE INDEX i ON tollgate_probe (a)',
  'DROP TABLE tollgate_probe',
  'CREATE TABLE tollgate_probe (a int PRIMARY KEY, FOREIGN KEY (a) REFERENCES tollgate_probe_parent (a))',
] as const;

/** No such table, nothing to drop, no parent for the foreign key (MySQL, MariaDB): the user may, and there was nothing. */
const permittedErrors = new Set([1146, 1051, 1824, 1005]);

/**
 * Asks the server whether this user may change the schema, without changing anything.
 * @throws UnfitServerError that says what is missing in the server's own words, and the statement that grants it.
 */
export async function probeMigrationGrants(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  try {
    await runner.query('SET SESSION foreign_key_checks = 1');
    const refusals: string[] = [];
    for (const probe of probes) refusals.push(...(await refusalOf(() => runner.query(probe))));
    if (refusals.length > 0) throw new UnfitServerError([await explainGrants(source, refusals)]);
  } finally {
    await runner.release();
  }
}

async function refusalOf(ask: () => Promise<unknown>): Promise<string[]> {
  try {
    await ask();
    return [];
  } catch (error) {
    const { errno, message } = error as { errno?: unknown; message: string };
    if (errno === undefined) throw error;
    return permittedErrors.has(Number(errno)) ? [] : [message.replace(/ for table .*/, '')];
  }
}

async function explainGrants(source: DataSource, refusals: readonly string[]): Promise<string> {
  const [row] = await source.query('SELECT DATABASE() AS name');
  const rights = [...neededGrants, ...wishedGrants].join(', ');
  const words = [...new Set(refusals)].join('; ');
  return `The schema has to be changed, and this user may not: ${words}. Nothing was changed. As an administrator: GRANT ${rights} ON \`${row.name}\`.* TO that user.`;
}
