import type { EntityManager } from 'typeorm';
import { createId } from '../kernel/ids.js';
import { identifyStatement } from './pool/known-database.js';
import type { UnitOfWork } from './unit-of-work.js';

const rowId = 1;

/**
 * What tells a database from every other one; made when it is first asked for, and the same from then on, for every server. It goes
 * along with the rows: a backup, `database move` and a copy have the id of where they come from.
 */
export async function getDatabaseId(unitOfWork: UnitOfWork): Promise<string> {
  const known = await findDatabaseId(unitOfWork.reader);
  if (known !== null) return known;
  // Several may come at once, and all of them get the id of the first.
  return unitOfWork.transactForServer(async (transaction) => {
    const ignore = transaction.connection.options.type === 'mysql' ? 'IGNORE' : 'OR IGNORE';
    const values = [rowId, createId('instance'), 0];
    await transaction.query(`INSERT ${ignore} INTO replica_mark (id, name, at_ms) VALUES (?, ?, ?)`, values);
    const made = await findDatabaseId(transaction);
    if (made === null) throw new Error('The database has no id after one was written.');
    return made;
  });
}

/** null: no server of a release that knows of it has worked on this database yet. @throws the driver's error where there is no such table. */
export async function findDatabaseId(reader: EntityManager): Promise<string | null> {
  const rows: { name: string }[] = await reader.query(identifyStatement);
  return rows[0]?.name ?? null;
}
