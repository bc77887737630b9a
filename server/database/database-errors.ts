const uniqueViolations = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'ER_DUP_ENTRY']);

// 1213 deadlock, 1205 lock wait timeout, 1020 (MariaDB) row changed since it was read. After each the transaction is
// rolled back as a whole by us, so that running it again is safe.
const passingMysqlErrors = new Set([1213, 1205, 1020]);

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.has(String(readDriverError(error)?.code));
}

/** Whether running the same transaction again may succeed at once. */
export function isPassingConflict(error: unknown): boolean {
  const driverError = readDriverError(error);
  return String(driverError?.code).startsWith('SQLITE_BUSY') || passingMysqlErrors.has(Number(driverError?.errno));
}

/**
 * Whether the database could not be reached, went away, or cannot write for now (disk full, read-only after a failover). Of a
 * COMMIT that was under way nothing is known.
 */
export function isDatabaseAway(error: unknown): boolean {
  const driverError = readDriverError(error);
  const code = String(driverError?.code);
  return driverError?.fatal === true || awayCodes.has(code) || code.startsWith('SQLITE_IOERR');
}

const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
]);

// TypeORM wraps the driver's error; its own fields are copied, but `fatal` only stands on the inner one.
function readDriverError(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown } | null {
  if (typeof error !== 'object' || error === null) return null;
  return 'driverError' in error && typeof error.driverError === 'object' ? error.driverError : error;
}
