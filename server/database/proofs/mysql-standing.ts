import type { DataSource } from 'typeorm';

// Nobody else counts by this name, and the row goes with the others whose windows have ended.
const writeProbe = `
  INSERT INTO attempt_count (name_hash, attempts, ends_at_ms)
  VALUES (SHA2('serving check', 256), 0, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000 AS UNSIGNED))
  ON DUPLICATE KEY UPDATE ends_at_ms = VALUES(ends_at_ms)
`;

/**
 * Resolves once a MySQL server has written a row and said so. One that is read-only after a failover answers every question, and
 * one of a group without a majority takes every statement, too, and waits for ever with what it should make durable.
 * @throws the driver's error.
 */
export async function writeToMysql(source: DataSource): Promise<void> {
  await source.query(writeProbe);
}

/** Which server this is, and by what cipher the connection to it is encrypted; null: not at all. On SQLite nothing. */
export async function describeMysqlServer(
  source: DataSource,
): Promise<{ readonly server: string; readonly tls: string | null } | null> {
  if (source.options.type !== 'mysql') return null;
  const [named]: { server: string }[] = await source.query('SELECT VERSION() AS server');
  const [cipher]: { Value: string }[] = await source.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  return { server: named?.server ?? '', tls: cipher?.Value || null };
}
