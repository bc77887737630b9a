/** What a driver may throw, with a name for it. */
export interface DriverError {
  readonly name: string;
  readonly error: unknown;
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step);

/** The client's own errors (CR_…) of MySQL and MariaDB. */
const clientNumbers = [...range(2000, 2070), ...range(5000, 5020)];
/** The servers' errors; MariaDB's newer ones and MySQL's newer ones lie in the same range. */
const serverNumbers = [...range(1000, 1999), ...range(3000, 4999), ...range(10_000, 15_000, 50)];

/** What proxies say by themselves, which drivers have no name for: ProxySQL has 9001 when no server is left behind it. */
const proxyNumbers = range(9_000, 9_010);

const driverCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  ...['EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EACCES', 'EPROTO'],
  ...['PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR'],
  ...['PROTOCOL_PACKETS_OUT_OF_ORDER', 'PROTOCOL_INCORRECT_PACKET_SEQUENCE', 'PROTOCOL_UNEXPECTED_PACKET'],
  ...['HANDSHAKE_NO_SSL_SUPPORT', 'HANDSHAKE_SSL_ERROR', 'HANDSHAKE_UNKNOWN_ERROR', 'AUTH_SWITCH_PLUGIN_ERROR'],
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'POOL_CLOSED'],
];
const sqliteCodes = [
  ...['ERROR', 'INTERNAL', 'PERM', 'ABORT', 'ABORT_ROLLBACK', 'BUSY', 'BUSY_RECOVERY', 'BUSY_SNAPSHOT', 'BUSY_TIMEOUT'],
  ...[
    'LOCKED',
    'LOCKED_SHAREDCACHE',
    'NOMEM',
    'READONLY',
    'READONLY_DBMOVED',
    'READONLY_DIRECTORY',
    'INTERRUPT',
    'IOERR',
  ],
  ...[
    'IOERR_READ',
    'IOERR_WRITE',
    'IOERR_FSYNC',
    'IOERR_TRUNCATE',
    'IOERR_SHORT_READ',
    'IOERR_LOCK',
    'IOERR_CORRUPTFS',
  ],
  ...['CORRUPT', 'CORRUPT_INDEX', 'NOTFOUND', 'FULL', 'CANTOPEN', 'CANTOPEN_ISDIR', 'PROTOCOL', 'SCHEMA', 'TOOBIG'],
  ...[
    'CONSTRAINT_NOTNULL',
    'CONSTRAINT_TRIGGER',
    'CONSTRAINT_FOREIGNKEY',
    'MISMATCH',
    'MISUSE',
    'NOLFS',
    'AUTH',
    'RANGE',
  ],
  ...['NOTADB', 'CONSTRAINT_UNIQUE', 'CONSTRAINT_PRIMARYKEY', 'CONSTRAINT_CHECK'],
].map((code) => `SQLITE_${code}`);

function make(fields: object): unknown {
  return Object.assign(new Error('What a driver says'), fields);
}

/** Every error number of both servers and their clients, what drivers call the rest, and what has no name at all. */
export function listDriverErrors(): DriverError[] {
  const numbered = [
    ...clientNumbers.map((errno) => ({ name: `client ${errno}`, error: make({ errno }) })),
    ...proxyNumbers.map((errno) => ({ name: `proxy ${errno}`, error: make({ errno, sqlState: 'HY000' }) })),
    ...serverNumbers.flatMap((errno) => {
      const said = { errno, code: `ER_${errno}`, sqlState: errno === 1062 ? '23000' : 'HY000' };
      const goesOn = { name: `server ${errno}`, error: make(said) };
      return [goesOn, { name: `server ${errno}, fatal`, error: make({ ...said, fatal: true }) }];
    }),
  ];
  const named = [...driverCodes, ...sqliteCodes].map((code) => ({ name: code, error: make({ code }) }));
  const nameless = [
    new Error('odd'),
    'a text',
    7,
    null,
    {},
    new TypeError('not a function'),
    new AggregateError([], ''),
  ];
  return [...numbered, ...named, ...nameless.map((error, n) => ({ name: `nameless ${n}`, error }))];
}
