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
  // Whatever `max_join_size` says.
  'sql_big_selects = 1',
  // `id IS NULL` would find the row that was inserted last.
  'sql_auto_is_null = 0',
  // Sorts would look at the beginning of a text alone.
  'max_sort_length = 1024',
  // Fewer than fifteen of our longest rows would fit, with which a sort ends in an error.
  'sort_buffer_size = CAST(GREATEST(@@sort_buffer_size, 2097152) AS UNSIGNED)',
  // Quotients and averages would lose their decimals, lists of a group their end, and names of days be in another language.
  'div_precision_increment = 4',
  'group_concat_max_len = 1048576',
  "lc_time_names = 'en_US'",
  // A statement that meets a change of the schema would fail at once, or wait for a year.
  'lock_wait_timeout = 60',
  // An answer that we read slowly, in a busy moment, would be cut.
  'net_read_timeout = 30',
  'net_write_timeout = 60',
] as const;

/** What one of the two makes alone knows; the other takes its comment for one. */
const mariadbVariables = [
  'check_constraint_checks = 1',
  // An audit or a report would be ended, or a transaction that waits for its turn.
  'max_statement_time = 0',
  'idle_transaction_timeout = 0',
  'idle_readonly_transaction_timeout = 0',
  'idle_write_transaction_timeout = 0',
  'tmp_disk_table_size = 18446744073709551615',
  // The error of a statement with too little memory is that of a server that takes no writes.
  'max_session_mem_used = 9223372036854775807',
  // DROP and ALTER would say nothing where there is nothing to change.
  'sql_if_exists = 0',
] as const;
const mysqlOnlyVariables = ['max_execution_time = 0'] as const;
const ownVariables = `/*M! , ${mariadbVariables.join(', ')} */ /*!80000 , ${mysqlOnlyVariables.join(', ')} */`;

/**
 * The character set that every text of a session has, both ways. A server that does not listen to what a client asks for when it
 * connects (`skip-character-set-client-handshake`), or whose `init_connect` says another, would store and answer other texts.
 */
export const mysqlCharacterSet = 'utf8mb4';

/**
 * What every MySQL session of ours starts with, whatever the server's defaults: all that can change the answer of a statement, or
 * end one. What is left to the server makes statements faster or slower (`optimizer_switch`, sizes of other buffers), or needs a right
 * that an ordinary user does not have.
 */
export const mysqlSessionStatements = [
  `SET NAMES ${mysqlCharacterSet} COLLATE ${mysqlCharacterSet}_bin`,
  `SET SESSION ${mysqlVariables.join(', ')} ${ownVariables}`,
  // MariaDB 10 and MySQL 8 share no variable for this, only the statement.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
] as const;

/**
 * After how many seconds without a word of ours the server ends a session that holds a transaction, and with it its locks: an
 * instance that stands still would keep rows from all others for as long as its machine is paused. Longer than any pause that comes
 * by itself: our transactions ask one statement after the other, an answer is waited for 5 s at most, and a process that is busy or
 * swapped out comes to the next statement within seconds. Time that the server itself takes, as on a slow disk, is not counted. Who
 * pauses longer has lost the transaction, none of which is done then.
 */
const standingSecondsMax = 15;

// MySQL has no such limit for transactions alone: there, idle sessions are ended as well.
const endStandingTransactions = `SET SESSION autocommit = 1 /*M! , idle_transaction_timeout = ${standingSecondsMax} */ /*!80000 , wait_timeout = CAST(LEAST(@@wait_timeout, ${standingSecondsMax}) AS UNSIGNED) */`;

/** For the sessions that others may wait for. Audits and moves, which lock nothing and compute between their statements, have the others alone. */
export const mysqlServingStatements = [...mysqlSessionStatements, endStandingTransactions] as const;

/** When we end idle sessions ourselves, in milliseconds: before the server does, so that none is asked that is just being ended. */
export const idleSessionMsMax = 10_000;

/** How long a statement that is no part of a `UnitOfWork` waits for a lock of somebody else. */
export const busyTimeoutMs = 5_000;

/** The write-ahead log grows beyond this while a reader stays open, and is cut back to it when it begins anew. */
export const walBytesKept = 64 * 1024 * 1024;

/**
 * Durable commits, foreign keys, and no way around the append-only triggers by INSERT OR REPLACE. The thread stands still for as long as
 * a lock is waited for, so this wait is for programs and for the time before a server serves: `UnitOfWork` has one of its own.
 */
export const sqliteSessionPragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'recursive_triggers = ON',
  `busy_timeout = ${busyTimeoutMs}`,
  `journal_size_limit = ${walBytesKept}`,
] as const;

/**
 * How long the beginning of a transaction on the thread of the event loop waits for a lock of somebody else, in milliseconds: for the
 * ledger's commit to end, and not for another program. `UnitOfWork` asks again while the loop runs.
 */
export const loopBusyTimeoutMs = 5;

/** The same on the ledger's own thread: two such waits, and a call is turned away after the two seconds that it may wait for its hold. */
export const ledgerBusyTimeoutMs = 1_000;
