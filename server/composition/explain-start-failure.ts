import { isAnsweredByServer, isStatementFault } from '../database/database-errors.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';

/** What mends an error, by its code; where one code has several causes, by the system's call before it. */
interface Remedy {
  readonly codes: readonly string[];
  /** Left out: DATABASE_URL. */
  readonly setting?: string;
  readonly words: string;
}

const certificateWords =
  'Name the authority of its certificate with ssl-ca, or the host that the certificate is made out to.';
const remedies: readonly Remedy[] = [
  {
    codes: ['listen EADDRINUSE'],
    setting: 'PORT',
    words: 'Another program listens there: stop it, or set another port.',
  },
  { codes: ['listen EACCES'], setting: 'PORT', words: 'This user may not listen there: set a port above 1023.' },
  {
    codes: ['listen EADDRNOTAVAIL', 'listen ENOTFOUND', 'listen EAI_AGAIN', 'listen EINVAL', 'listen EAFNOSUPPORT'],
    setting: 'HOST',
    words: 'Set an address of this machine, or 0.0.0.0 for all of them.',
  },
  {
    codes: [
      'mkdir EACCES',
      'mkdir EEXIST',
      'mkdir ENOTDIR',
      'mkdir EROFS',
      'mkdir ENOENT',
      'mkdir ENAMETOOLONG',
      'mkdir ENOSPC',
    ],
    setting: 'DATABASE_URL or SPOOL_DIR',
    words: 'Name a place where this user may make that folder.',
  },
  {
    codes: ['connect ENOENT', 'connect EACCES', 'connect ENOTSOCK', 'connect EPROTOTYPE', 'connect EINVAL'],
    words: 'Start the database on this machine, or correct the path behind socket=.',
  },
  { codes: ['ENOTFOUND', 'EAI_AGAIN'], words: 'Correct the name of the host.' },
  {
    codes: [
      'ECONNREFUSED',
      'ECONNRESET',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'EADDRNOTAVAIL',
      'ETIMEDOUT',
      'PROTOCOL_CONNECTION_LOST',
    ],
    words: 'Start the database there, or correct the address.',
  },
  {
    codes: ['wait ETIMEDOUT', 'POOL_BUSY'],
    words:
      'It accepts connections and does not answer: find what takes so long or has a lock (SHOW FULL PROCESSLIST), check its disk, then try again.',
  },
  {
    codes: ['HANDSHAKE_NO_SSL_SUPPORT'],
    words: 'Give that server a certificate, or remove ssl-mode from the address.',
  },
  {
    codes: [
      'HANDSHAKE_SSL_ERROR',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    words: certificateWords,
  },
  {
    codes: ['ER_SECURE_TRANSPORT_REQUIRED'],
    words: 'Add ?ssl-mode=VERIFY_IDENTITY, or REQUIRED where the certificate cannot be checked.',
  },
  // MariaDB says nothing else where it demands TLS.
  {
    codes: ['ER_ACCESS_DENIED_ERROR'],
    words:
      'Correct user and password, or grant the user its database; where the server demands TLS, add ?ssl-mode=VERIFY_IDENTITY, or REQUIRED where the certificate cannot be checked.',
  },
  // MariaDB says ER_ACCESS_DENIED_NO_PASSWORD_ERROR, by chance, of a user whom it does not know, and 4151 and 4152 of one that is locked:
  // mysql2 has no names for them. Where ER_TABLEACCESS_DENIED_ERROR comes while the schema is changed, what was done stays, and the next start goes on.
  {
    codes: [
      'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
      'ER_ACCOUNT_HAS_BEEN_LOCKED',
      'ER_USER_IS_BLOCKED',
      'errno 4151',
      'errno 4152',
      'ER_MUST_CHANGE_PASSWORD',
      'ER_MUST_CHANGE_PASSWORD_LOGIN',
      'ER_HOST_NOT_PRIVILEGED',
      'ER_DBACCESS_DENIED_ERROR',
      'ER_TABLEACCESS_DENIED_ERROR',
      'ER_NOT_SUPPORTED_AUTH_MODE',
    ],
    words:
      'Correct user and password, or grant the user its database; a user who must use TLS needs ?ssl-mode=REQUIRED.',
  },
  { codes: ['ER_OPTION_PREVENTS_STATEMENT'], words: 'Name a server that accepts writes.' },
  {
    codes: ['ER_LOCK_WAIT_TIMEOUT'],
    words: 'Another connection kept a table locked; end its transaction, then start again.',
  },
  // What a session sets for itself an operator's program may still take back for a user, or end by hand.
  {
    codes: ['ER_QUERY_TIMEOUT', 'errno 1969'],
    words: 'Remove the time limit for statements of that user, then start again: it goes on from there.',
  },
  { codes: ['ER_UNKNOWN_SYSTEM_VARIABLE'], words: 'Use MySQL 8.4 or MariaDB 10.11, or a later one.' },
  {
    codes: ['ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED'],
    words:
      'Raise max_connections there, or the limit of that user, or end what else is connected; each process has its own.',
  },
  { codes: ['ER_BAD_DB_ERROR'], words: 'Create the database first: CREATE DATABASE and its name.' },
  { codes: ['ER_WRONG_DB_NAME'], words: 'Correct the name of the database at its end.' },
  {
    codes: ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM'],
    words: 'Name a file in a folder that this user may write to.',
  },
  { codes: ['SQLITE_CORRUPT'], words: 'The file is damaged: keep it, and restore a backup (docs/backup.md).' },
  { codes: ['SQLITE_IOERR', 'SQLITE_FULL'], words: 'The disk refuses it: check its free space and its health.' },
  { codes: ['SQLITE_BUSY'], words: 'Another program has the file locked: end it, then start again.' },
  { codes: ['SQLITE_NOTADB'], words: 'Name a file that SQLite made, or one that is not there yet.' },
];
const remedyOf = new Map(remedies.flatMap((remedy) => remedy.codes.map((code) => [code, remedy] as const)));

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
  const remedy =
    remedyOf.get(`${syscall} ${code}`) ??
    remedyOf.get(String(code)) ??
    remedyOf.get(String(kind)) ??
    remedyOf.get(`errno ${errno}`) ??
    findUnlisted(error);
  return remedy ? `${remedy.setting ?? 'DATABASE_URL'}: ${wordsOf(error)}. ${remedy.words}` : null;
}

/** What a server says that is no fault of a statement of ours is not for us to mend, and so is what TLS says of a certificate: each has more words than a list. */
function findUnlisted(error: unknown): Pick<Remedy, 'setting' | 'words'> | undefined {
  const { code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (/^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/.test(String(code))) return { words: certificateWords };
  if (!isAnsweredByServer(error) || isStatementFault(error)) return undefined;
  return { words: 'Look at the log of the database’s server.' };
}

// A connection to a name with several addresses fails once for each of them, and says nothing about all together.
function wordsOf(error: unknown): string {
  const { errors, code, message } = error as Partial<AggregateError> & { code?: string };
  const words = [message, ...(errors ?? []).map((part: Partial<Error>) => part.message)].filter(Boolean);
  return (words.join(', ') || String(code)).replace(/\s+/g, ' ').replace(/\.$/, '');
}
