import { isAnsweredByServer, isStatementFault } from '../database/database-errors.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';

interface Remedy {
  readonly setting: string;
  readonly words: string;
}

const namedHost: Remedy = { setting: 'DATABASE_URL', words: 'Correct the name of the host.' };
const runningDatabase: Remedy = { setting: 'DATABASE_URL', words: 'Start the database there, or correct the address.' };
const databaseSocket: Remedy = {
  setting: 'DATABASE_URL',
  words: 'Start the database on this machine, or correct the path behind socket=.',
};
const databaseUser: Remedy = {
  setting: 'DATABASE_URL',
  words:
    'Correct user and password, or grant the user its database; one who must come by TLS needs ?ssl-mode=REQUIRED.',
};
// MariaDB says nothing else where it demands TLS.
const databaseUserOrTls: Remedy = {
  setting: 'DATABASE_URL',
  words:
    'Correct user and password, or grant the user its database; where the server demands TLS, add ?ssl-mode=VERIFY_IDENTITY, or REQUIRED where the certificate cannot be checked.',
};
const writableServer: Remedy = { setting: 'DATABASE_URL', words: 'Name a server that may be written to.' };
const quietDatabase: Remedy = {
  setting: 'DATABASE_URL',
  words: 'Another connection kept a table locked; end its transaction, then start again.',
};
const answeringDatabase: Remedy = {
  setting: 'DATABASE_URL',
  words:
    'It lets connections in and does not answer: look there for what takes so long or holds a lock (SHOW FULL PROCESSLIST), and at its disk; then try again.',
};
const databaseTls: Remedy = {
  setting: 'DATABASE_URL',
  words: 'Name the authority of its certificate with ssl-ca, or the host that the certificate is made out to.',
};
const encryptedServer: Remedy = {
  setting: 'DATABASE_URL',
  words: 'Add ?ssl-mode=VERIFY_IDENTITY, or REQUIRED where the certificate cannot be checked.',
};
const moreConnections: Remedy = {
  setting: 'DATABASE_URL',
  words:
    'Raise max_connections there, or the limit of that user, or end what else is connected; each process has its own.',
};
const databaseFile: Remedy = { setting: 'DATABASE_URL', words: 'Name a file in a folder that this user may write to.' };
const damagedFile: Remedy = {
  setting: 'DATABASE_URL',
  words: 'The file is damaged: keep it, and go back to a backup (docs/backup.md).',
};
const workingDisk: Remedy = { setting: 'DATABASE_URL', words: 'The disk refuses it: look at its room and its health.' };
const lessWatchedUser: Remedy = {
  setting: 'DATABASE_URL',
  words: 'Take the limit of time off the statements of that user, then start again: it goes on from there.',
};
const refusingServer: Remedy = { setting: 'DATABASE_URL', words: 'Look at the log of the database’s server.' };
const otherServer: Remedy = { setting: 'DATABASE_URL', words: 'Use MySQL 8.4 or MariaDB 10.11, or a later one.' };
const listenHost: Remedy = { setting: 'HOST', words: 'Set an address of this machine, or 0.0.0.0 for all of them.' };
const folders: Remedy = {
  setting: 'DATABASE_URL or SPOOL_DIR',
  words: 'Name a place where this user may make that folder.',
};

/** By the code of the error; where one code has several causes, by the system's call before it. */
const remedies: Readonly<Record<string, Remedy>> = {
  'listen EADDRINUSE': { setting: 'PORT', words: 'Another program listens there: stop it, or set another port.' },
  'listen EACCES': { setting: 'PORT', words: 'This user may not listen there: set a port above 1023.' },
  'listen EADDRNOTAVAIL': listenHost,
  'listen ENOTFOUND': listenHost,
  'listen EAI_AGAIN': listenHost,
  'listen EINVAL': listenHost,
  'listen EAFNOSUPPORT': listenHost,
  'mkdir EACCES': folders,
  'mkdir EEXIST': folders,
  'mkdir ENOTDIR': folders,
  'mkdir EROFS': folders,
  'mkdir ENOENT': folders,
  'mkdir ENAMETOOLONG': folders,
  'mkdir ENOSPC': folders,
  'connect ENOENT': databaseSocket,
  'connect EACCES': databaseSocket,
  'connect ENOTSOCK': databaseSocket,
  'connect EPROTOTYPE': databaseSocket,
  'connect EINVAL': databaseSocket,
  'wait ETIMEDOUT': answeringDatabase,
  POOL_BUSY: answeringDatabase,
  ENOTFOUND: namedHost,
  EAI_AGAIN: namedHost,
  ECONNREFUSED: runningDatabase,
  ECONNRESET: runningDatabase,
  EHOSTUNREACH: runningDatabase,
  ENETUNREACH: runningDatabase,
  EADDRNOTAVAIL: runningDatabase,
  ETIMEDOUT: runningDatabase,
  PROTOCOL_CONNECTION_LOST: runningDatabase,
  HANDSHAKE_NO_SSL_SUPPORT: {
    setting: 'DATABASE_URL',
    words: 'Give that server a certificate, or take ssl-mode out of the address.',
  },
  HANDSHAKE_SSL_ERROR: databaseTls,
  SELF_SIGNED_CERT_IN_CHAIN: databaseTls,
  DEPTH_ZERO_SELF_SIGNED_CERT: databaseTls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: databaseTls,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: databaseTls,
  CERT_HAS_EXPIRED: databaseTls,
  ERR_TLS_CERT_ALTNAME_INVALID: databaseTls,
  ER_SECURE_TRANSPORT_REQUIRED: encryptedServer,
  ER_ACCESS_DENIED_ERROR: databaseUserOrTls,
  // What MariaDB says of a user whom it does not know, by chance.
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: databaseUser,
  ER_ACCOUNT_HAS_BEEN_LOCKED: databaseUser,
  ER_USER_IS_BLOCKED: databaseUser,
  // MariaDB's numbers for the same, which mysql2 has no names for.
  'errno 4151': databaseUser,
  'errno 4152': databaseUser,
  ER_MUST_CHANGE_PASSWORD: databaseUser,
  ER_MUST_CHANGE_PASSWORD_LOGIN: databaseUser,
  ER_HOST_NOT_PRIVILEGED: databaseUser,
  ER_DBACCESS_DENIED_ERROR: databaseUser,
  // While the schema is changed; what was done so far stays, and the next start goes on from there.
  ER_TABLEACCESS_DENIED_ERROR: databaseUser,
  ER_OPTION_PREVENTS_STATEMENT: writableServer,
  ER_LOCK_WAIT_TIMEOUT: quietDatabase,
  // What a session sets for itself an operator's program may still take back for a user, or end by hand.
  ER_QUERY_TIMEOUT: lessWatchedUser,
  'errno 1969': lessWatchedUser,
  ER_UNKNOWN_SYSTEM_VARIABLE: otherServer,
  ER_CON_COUNT_ERROR: moreConnections,
  ER_TOO_MANY_USER_CONNECTIONS: moreConnections,
  ER_USER_LIMIT_REACHED: moreConnections,
  ER_BAD_DB_ERROR: { setting: 'DATABASE_URL', words: 'Create the database first: CREATE DATABASE and its name.' },
  ER_WRONG_DB_NAME: { setting: 'DATABASE_URL', words: 'Correct the name of the database at its end.' },
  ER_NOT_SUPPORTED_AUTH_MODE: databaseUser,
  SQLITE_CANTOPEN: databaseFile,
  SQLITE_READONLY: databaseFile,
  SQLITE_CORRUPT: damagedFile,
  SQLITE_IOERR: workingDisk,
  SQLITE_FULL: workingDisk,
  SQLITE_PERM: databaseFile,
  SQLITE_BUSY: {
    setting: 'DATABASE_URL',
    words: 'Another program holds the file: end it, then start again.',
  },
  SQLITE_NOTADB: { setting: 'DATABASE_URL', words: 'Name a file that SQLite made, or one that is not there yet.' },
};

/**
 * What kept a server from starting, in one line that names the setting and the remedy. The words of the system and of the
 * database in it hold addresses and users, and no password.
 * @returns null for what no setting mends: a bug of ours, which is worth its whole stack.
 */
export function explainStartFailure(error: unknown): string | null {
  if (error instanceof PlainFailure) return error.message;
  const { code, errno, syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  // SQLite says more exactly behind the second underscore: SQLITE_CORRUPT_INDEX.
  const kind = /^SQLITE_[A-Z]+/.exec(String(code))?.[0];
  const key = [`${syscall} ${code}`, String(code), kind, `errno ${errno}`].find(
    (known) => known !== undefined && Object.hasOwn(remedies, known),
  );
  const remedy = key === undefined ? findUnlisted(error) : remedies[key];
  return remedy ? `${remedy.setting}: ${wordsOf(error)}. ${remedy.words}` : null;
}

/** What a server says that is no fault of a statement of ours is not for us to mend, and so is what TLS says of a certificate: each has more words than a list. */
function findUnlisted(error: unknown): Remedy | undefined {
  const { code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (/^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(String(code))) return databaseTls;
  return isAnsweredByServer(error) && !isStatementFault(error) ? refusingServer : undefined;
}

// A connection to a name with several addresses fails once for each of them, and says nothing about all together.
function wordsOf(error: unknown): string {
  const { errors, code, message } = error as Partial<AggregateError> & { code?: string };
  const words = [message, ...(errors ?? []).map((part: Partial<Error>) => part.message)].filter(Boolean);
  return (words.join(', ') || String(code)).replace(/\s+/g, ' ').replace(/\.$/, '');
}
