const uniqueViolations = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'ER_DUP_ENTRY']);

// 1213 deadlock, 1205 lock wait timeout, 1020 (MariaDB) row changed since it was read. After each the transaction is
// rolled back as a whole by us, so that running it again is safe.
const passingMysqlErrors = new Set([1213, 1205, 1020]);

// 1205 lock wait timeout; 3572 is what MySQL says to NOWAIT, where MariaDB says 1205.
const lockedMysqlErrors = new Set([1205, 3572]);

// A CHECK of ours was not met: 3819 on MySQL, 4025 on MariaDB.
const checkMysqlErrors = new Set([3819, 4025]);

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.has(String(readDriverError(error)?.code));
}

/** Whether the database says that what was to be written breaks a unique key or a CHECK of our tables. */
export function isConstraintRefusal(error: unknown): boolean {
  const driverError = readDriverError(error);
  return (
    isUniqueViolation(error) ||
    driverError?.code === 'SQLITE_CONSTRAINT_CHECK' ||
    checkMysqlErrors.has(Number(driverError?.errno))
  );
}

/** Whether running the same transaction again may succeed at once. */
export function isPassingConflict(error: unknown): boolean {
  const driverError = readDriverError(error);
  return String(driverError?.code).startsWith('SQLITE_BUSY') || passingMysqlErrors.has(Number(driverError?.errno));
}

/** Whether a row was locked by somebody else for longer than it was waited for. */
export function isRowLocked(error: unknown): boolean {
  return lockedMysqlErrors.has(Number(readDriverError(error)?.errno));
}

/**
 * Whether the server itself answered with an error, on a connection that goes on after it. Of any other error nobody knows what
 * the connection still carries.
 */
export function isAnsweredByServer(error: unknown): boolean {
  const driverError = readDriverError(error);
  return typeof driverError?.sqlState === 'string' && driverError.sqlState !== '' && driverError.fatal !== true;
}

// TypeORM wraps the driver's error; its own fields are copied, but `fatal` only stands on the inner one.
function readDriverError(
  error: unknown,
): { code?: unknown; errno?: unknown; fatal?: unknown; sqlState?: unknown } | null {
  if (typeof error !== 'object' || error === null) return null;
  return 'driverError' in error && typeof error.driverError === 'object' ? error.driverError : error;
}
