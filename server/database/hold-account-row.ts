import type { EntityManager } from 'typeorm';

/**
 * Makes whoever counts what an account has, to add to it, wait for each other until the caller's transaction ends: two at once would
 * both find room for one more, as neither sees what the other has written. The first statement of a transaction; as it is a write,
 * SQLite knows from the start that more follow. An account that there is not holds nobody up.
 */
export async function holdAccountRow(transaction: EntityManager, accountId: string): Promise<void> {
  await transaction.query('UPDATE account SET id = id WHERE id = ?', [accountId]);
}
