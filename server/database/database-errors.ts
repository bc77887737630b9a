import { AppError } from '../kernel/app-error.js';
import { systemClock } from '../kernel/clock.js';
import { SeldomTold } from '../kernel/jobs/seldom-told.js';
import type { Logger } from '../kernel/logger.js';

const uniqueViolations = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'ER_DUP_ENTRY']);

// 1213 deadlock, 1205 lock wait timeout, 1020 (MariaDB) row changed since it was read. After each the transaction is
// rolled back as a whole by us, so that running it again is safe.
const passingMysqlErrors = new Set([1213, 1205, 1020]);

// 1205 lock wait timeout; 3572 is what MySQL says to NOWAIT, where MariaDB says 1205.
const lockedMysqlErrors = new Set([1205, 3572]);

// A CHECK of ours was not met: 3819 on MySQL, 4025 on MariaDB.
const checkMysqlErrors = new Set([3819, 4025]);

/**
 * What a server refuses about one statement or its data, while server and connection are well: a second row with the same key,
 * a foreign key, a CHECK, a value that does not fit, a lock that was not to be had. Whatever is not in this list says nothing good about the
 * connection, which is then not used again.
 */
const statementFaults: ReadonlySet<number> = new Set([
  // Keys: duplicate, not null, foreign.
  ...[1022, 1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 1586, 1761, 1762],
  // CHECK on MySQL and on MariaDB, SIGNAL of a trigger.
  ...[3819, 4025, 1644],
  // Values that do not fit.
  ...[1264, 1265, 1292, 1366, 1367, 1406, 1411, 1690],
  // Words that the server does not understand: a fault of ours, or a table that is not there.
  ...[1051, 1054, 1060, 1061, 1064, 1091, 1146],
  // Deadlock, lock wait, row changed since it was read: the same transaction may succeed at once.
  ...[1020, 1205, 1213, 3572],
]);

/** The same of SQLite: the beginnings of its codes. */
const sqliteStatementFaults = /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|MISUSE|RANGE|TOOBIG)/;

/** A driver's refusal of values that it cannot bind, before the database is asked. */
const refusalsOfValues: ReadonlySet<unknown> = new Set(['TypeError', 'RangeError']);

/** What a pool said when it was asked for a connection; nothing in these errors tells where they are from. */
const refusedConnections = new WeakSet<object>();

/** A server, or what it grants one user, that has no connection left. */
const fullServer = [1040, 1203, 1226] as const;

/**
 * A server that is not, or no longer, the one to write to: read-only, offline, shutting down, without its group, full of connections; or a
 * proxy that has no server behind it.
 */
const unfitServer: ReadonlySet<number> = new Set([
  ...[1290, 1792, 1836, 3032, 3098, 3100, 3101, 3655, 1053],
  ...fullServer,
  // Of clients and proxies in front: MySQL Router without a primary, ProxySQL without a host.
  ...[2002, 2003, 2006, 2013, 2055, 9001],
]);

const retryAfterMs = 2_000;
const awayWords = 'The database cannot be used right now. Try again shortly.';
const unknownWords =
  'The database went away while this was being stored. It is not known whether it was changed: look before you try again.';

/** Whether the database refused a second row with the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.has(String(readDriverError(error)?.code));
}

/** Waits for a write that somebody else may make at this moment, too: the row of either will do, so a refusal of the second is no error. */
export async function allowDuplicate(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
  });
}

/** Writes once more when somebody else has made the same row at this moment: the second time it is found there. */
export async function repeatOnDuplicate<Result>(write: () => Promise<Result>): Promise<Result> {
  return write().catch((error: unknown) => {
    if (isUniqueViolation(error)) return write();
    throw error;
  });
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

/** Whether only the statement was at fault, so that its connection can be trusted with the next one. */
export function isStatementFault(error: unknown): boolean {
  return statementFaults.has(Number(readDriverError(error)?.errno));
}

/** Whether the statement, or what it was given, was at fault, and the database itself is well; on either database. */
function isOwnFaultOfStatement(error: unknown): boolean {
  const driverError = readDriverError(error);
  if (driverError === null || driverError.fatal === true) return false;
  const { code, name } = driverError;
  return isStatementFault(error) || sqliteStatementFaults.test(String(code)) || refusalsOfValues.has(name);
}

/** Remembers an error as one of a pool that had no connection to give. */
export function noteConnectionRefused(error: unknown): void {
  if (typeof error === 'object' && error !== null) refusedConnections.add(error);
}

/** Whether a pool of ours had no connection to give. */
function wasConnectionRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && refusedConnections.has(error);
}

/**
 * What a caller is told of an error of the database's driver that is no fault of the statement: away, full of connections, read-only,
 * without room on its disk, or anything that nobody has thought of.
 * @returns AppError `service_unavailable` with a time to wait, which claims that nothing was done in no case, and says so where a COMMIT
 *   was under way. null: it is no error of a driver, or the statement is at fault, which is ours to mend.
 */
export function findDatabaseAway(error: unknown): AppError | null {
  const statement = findStatement(error);
  if ((statement === null && !wasConnectionRefused(error)) || isOwnFaultOfStatement(error)) return null;
  const isCommit = statement === 'COMMIT';
  return new AppError('service_unavailable', isCommit ? unknownWords : awayWords, { retryAfterMs, cause: error });
}

const told = new WeakMap<Logger, SeldomTold>();

/** Says in the log why requests are refused: at once, and then with their number once a minute, as long as it lasts. */
export function tellDatabaseAway(logger: Logger, { innerReason: reason }: AppError): void {
  const line = told.get(logger) ?? new SeldomTold(systemClock);
  told.set(logger, line);
  line.note((requests) => logger.error('database_away', { reason, requests }));
}

/** Whether a connection was refused because the server, or its user there, has as many as it may have. */
export function isServerFull(error: unknown): boolean {
  return fullServer.some((errno) => errno === readDriverError(error)?.errno);
}

/** Whether no connection to that server is worth keeping. */
export function isServerUnfit(error: unknown): boolean {
  return unfitServer.has(Number(readDriverError(error)?.errno));
}

// TypeORM wraps the driver's error; its own fields are copied, but `fatal` only stands on the inner one.
function readDriverError(
  error: unknown,
): { name?: unknown; code?: unknown; errno?: unknown; fatal?: unknown; sqlState?: unknown } | null {
  if (typeof error !== 'object' || error === null) return null;
  return 'driverError' in error && typeof error.driverError === 'object' ? error.driverError : error;
}

/** The statement that an error is about. null: TypeORM, which wraps what its drivers throw, has not made this one. */
function findStatement(error: unknown): string | null {
  const isWrapped = error instanceof Error && 'driverError' in error && 'query' in error;
  return isWrapped ? String(error.query) : null;
}
