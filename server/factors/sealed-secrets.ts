import { existsSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { keyFileOf, type SecretBoxSettings } from './secret-box.js';

/** Every table that keeps a sealed secret has it in a column of this name. */
const sealedColumn = 'sealed_secret';

/** The database has sealed secrets, and there is no key to open them; one line with the remedy. */
class SecretsKeyMissingError extends PlainFailure {
  override readonly name = 'SecretsKeyMissingError';
}

/** Whether the database holds anything that only the key of secrets opens, whichever table it is in. */
export async function hasSealedSecrets(source: DataSource): Promise<boolean> {
  const tables = source.entityMetadatas.filter(({ columns }) =>
    columns.some(({ databaseName }) => databaseName === sealedColumn),
  );
  for (const { tableName } of tables) {
    const sql = `SELECT 1 AS found FROM ${tableName} WHERE ${sealedColumn} IS NOT NULL AND ${sealedColumn} <> '' LIMIT 1`;
    if (((await source.query(sql)) as unknown[]).length > 0) return true;
  }
  return false;
}

/**
 * Resolves where the key is at hand that opens what the database holds sealed, or nothing is sealed there. Which key that is, is not
 * tried.
 * @throws SecretsKeyMissingError
 */
export async function assertSecretsKeyThere(source: DataSource, settings: SecretBoxSettings): Promise<void> {
  const { secretsKey, database } = settings;
  const keyFile = database.kind === 'sqlite' ? keyFileOf(database.file) : null;
  if (secretsKey !== null || (keyFile !== null && existsSync(keyFile)) || !(await hasSealedSecrets(source))) return;
  const origin =
    keyFile === null
      ? 'after a move from SQLite that is the text of the file ….secrets-key beside the SQLite file'
      : `or bring ${keyFile} back from where the database comes from`;
  throw new SecretsKeyMissingError(
    `SECRETS_KEY: The database holds secrets that are sealed, and there is no key to open them. Set SECRETS_KEY to the one that sealed them; ${origin}.`,
  );
}
