import { Secret } from '../kernel/secret.js';
import { findMysqlCertificateFaults, MysqlAddressError, parseMysqlAddress } from './mysql-address.js';
import { MysqlServers } from './mysql-servers.js';

/** Where the data lives: a file of this machine, or a MySQL server. The password inside a MySQL address stays a secret. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mysql'; readonly url: Secret };

/**
 * Reads a `DATABASE_URL`: `sqlite:data/tollgate.db` or `mysql://user:password@host:3306/tollgate`.
 * @throws MysqlAddressError with every fault of it, for people, without user and password.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length);
    if (file === '' || file === ':memory:') throw new MysqlAddressError(['names no file: sqlite:data/tollgate.db']);
    return { kind: 'sqlite', file };
  }
  if (!/^(mysql|mariadb):/.test(text)) {
    throw new MysqlAddressError(['must be sqlite:<file> or mysql://user:password@host:3306/name']);
  }
  const certificateFaults = findMysqlCertificateFaults(parseMysqlAddress(text));
  if (certificateFaults.length > 0) throw new MysqlAddressError(certificateFaults);
  return { kind: 'mysql', url: new Secret(text) };
}

/** The same for who collects faults: each is a sentence that begins with the name of the setting. */
export function readDatabaseUrl(
  text: string,
  setting = 'DATABASE_URL',
): { database: DatabaseAddress | null; faults: readonly string[] } {
  try {
    return { database: parseDatabaseUrl(text), faults: [] };
  } catch (error) {
    if (!(error instanceof MysqlAddressError)) throw error;
    return { database: null, faults: error.faults.map((fault) => `${setting} ${fault}`) };
  }
}

/** Whether this process may make code of texts, which `node --disallow-code-generation-from-strings` forbids. */
function mayMakeCode(): boolean {
  try {
    return new Function('return true')();
  } catch {
    return false;
  }
}

// mysql2 writes a function for each shape of an answer, and reads by one that is there already, more slowly, where it may not.
const disableEval = !mayMakeCode();

/** What mysql2 needs to connect to the server of this address that is used now, percent-encoding undone. */
export function readMysqlUrl(url: Secret) {
  const { hosts, user, password, database, tls } = parseMysqlAddress(url.reveal());
  const first = hosts.find((host) => 'host' in host);
  const servers = MysqlServers.of(url);
  return {
    host: first?.host ?? 'localhost',
    port: first?.port ?? 3306,
    user,
    password,
    database,
    stream: servers.openStream,
    disableEval,
    ...(tls === null ? {} : { ssl: tls }),
  };
}
