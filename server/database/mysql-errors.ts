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

/**
 * A server that is not, or no longer, the one to write to: read-only, offline, shutting down, without its group, full of connections; or a
 * proxy that has no server behind it.
 */
const unfitServer: ReadonlySet<number> = new Set([
  ...[1290, 1792, 1836, 3032, 3098, 3100, 3101, 3655, 1053, 1040, 1203, 1226],
  // Of clients and proxies in front: MySQL Router without a primary, ProxySQL without a host.
  ...[2002, 2003, 2006, 2013, 2055, 9001],
]);

/** Whether only the statement was at fault, so that its connection can be trusted with the next one. */
export function isStatementFault(error: unknown): boolean {
  return statementFaults.has(Number(errnoOf(error)));
}

/** Whether no connection to that server is worth keeping. */
export function isServerUnfit(error: unknown): boolean {
  return unfitServer.has(Number(errnoOf(error)));
}

function errnoOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'errno' in error ? error.errno : null;
}
