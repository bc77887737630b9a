import { type EntityManager, IsNull } from 'typeorm';
import { AccountEntity } from './account.entity.js';

/**
 * Whether there is such an account that is not deleted; and if so, that it is not until the caller's transaction ends. On SQLite a
 * transaction is alone anyway.
 */
export async function holdAccount(transaction: EntityManager, accountId: string): Promise<boolean> {
  const isMysql = transaction.connection.options.type === 'mysql';
  const account = await transaction.findOne(AccountEntity, {
    select: { id: true },
    where: { id: accountId, closedAtMs: IsNull() },
    // MariaDB and MySQL have no word in common for a shared lock that TypeORM would write.
    ...(isMysql && { lock: { mode: 'pessimistic_write' as const } }),
  });
  // Found with blanks behind its id, as MySQL and MariaDB compare, it would be another account to whoever asked.
  return account?.id === accountId;
}
