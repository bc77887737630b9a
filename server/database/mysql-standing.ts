import type { DataSource } from 'typeorm';

/**
 * Resolves when the database does what calls need. A MySQL server is asked to write, without a row being touched: one that is
 * read-only after a failover answers every question. On SQLite it is asked a question; `ServingCheck` has it write.
 * @throws the driver's error.
 */
export async function assertDatabaseServes(source: DataSource): Promise<void> {
  await source.query(source.options.type === 'mysql' ? 'DELETE FROM migrations WHERE id < 0' : 'SELECT 1');
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
