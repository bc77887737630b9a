/** What ioredis says while it has no connection to send by, or no answer comes. */
const awayMessages = [
  'Command timed out',
  'Connection is closed.',
  'Socket closed unexpectedly',
  "Stream isn't writeable and enableOfflineQueue options is false",
  "Cluster isn't ready and enableOfflineQueue options is false",
  'None of startup nodes is available',
];
const awayNames: ReadonlySet<string> = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError']);
/** What a server answers that is about to serve, or to hand over to another one. */
const passingReplies = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b/;

/** Whether a server refuses to write: a replica, or a master that has become one. */
export function isReadOnlyReply(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('READONLY');
}

/**
 * Whether an error of a command says no more than that Redis cannot be had just now, which passes by itself and is logged by the
 * connection. Every other one (no right to the command, no memory left, a value of another kind) wants somebody to look.
 */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message, name } = error;
  if (name === 'ReplyError') return passingReplies.test(message);
  // ECONNREFUSED, EPIPE and their like; also those of TLS begin with E.
  const { code } = error as NodeJS.ErrnoException;
  const isOfNetwork = typeof code === 'string' && /^(E[A-Z]+$|ERR_TLS)/.test(code);
  const isTooManyMoves = message.startsWith('Too many Cluster redirections');
  return (
    isOfNetwork || isTooManyMoves || awayNames.has(name) || awayMessages.some((known) => message.startsWith(known))
  );
}
