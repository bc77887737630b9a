import type { EntityManager } from 'typeorm';

/** Makes whoever counts what an operator has, to add to it, wait for each other until the caller's transaction ends. Its first statement. */
export async function holdOperatorRow(transaction: EntityManager, operatorId: string): Promise<void> {
  await transaction.query('UPDATE operator SET id = id WHERE id = ?', [operatorId]);
}
