const mysqlVariables = [
  // Overflow is an error instead of a silent maximum; backslash escapes stay on, on which mysql2's escaping rests.
  "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
  "time_zone = '+00:00'",
  // A lock is waited for two seconds at most.
  'innodb_lock_wait_timeout = 2',
  // A statement outside of a transaction would be committed by nobody.
  'autocommit = 1',
  // COMMIT would begin the next transaction, or end the connection.
  'completion_type = NO_CHAIN',
  'foreign_key_checks = 1',
  'unique_checks = 1',
  'default_storage_engine = InnoDB',
  // Statements would be refused, or answered in part.
  'sql_safe_updates = 0',
  'sql_select_limit = 18446744073709551615',
] as const;

/** MariaDB alone has a switch for CHECK, and reads such a comment. */
const mariadbChecks = '/*M! , check_constraint_checks = 1 */';

/** What every MySQL session of ours starts with, whatever the server's defaults. */
export const mysqlSessionStatements = [
  `SET SESSION ${mysqlVariables.join(', ')} ${mariadbChecks}`,
  // MariaDB 10 and MySQL 8 share no variable for this, only the statement.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
] as const;

/** Durable commits, foreign keys, and no way around the append-only triggers by INSERT OR REPLACE. */
export const sqliteSessionPragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'recursive_triggers = ON',
  'busy_timeout = 5000',
] as const;
