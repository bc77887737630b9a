/**
 * What every MySQL session of ours starts with, whatever the server's defaults: overflow is an error instead of a silent
 * maximum, backslash escapes stay on (mysql2's escaping rests on it), times are UTC, and a lock is waited for at most
 * two seconds.
 */
export const mysqlSessionStatements = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', innodb_lock_wait_timeout = 2",
  // MariaDB 10 and MySQL 8 share no variable for this, only the statement.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
] as const;

/** Durable commits, foreign keys, and no way around the append-only triggers by INSERT OR REPLACE. */
export const sqliteSessionPragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'recursive_triggers = ON',
  'busy_timeout = 5000',
] as const;
