import type { DataSource } from 'typeorm';

/** The tables whose rows name an account or a person, beside `account` itself. What becomes of each is decided by tests that list them. */
export function listTablesOfAccounts({ entityMetadatas }: Pick<DataSource, 'entityMetadatas'>): string[] {
  const namesOne = /^(account_id|person_id|made_by|invited_by)$/;
  return entityMetadatas
    .filter(({ columns }) => columns.some(({ databaseName }) => namesOne.test(databaseName)))
    .map(({ tableName }) => tableName);
}
