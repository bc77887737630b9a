import { Secret } from '../kernel/secret.js';

/** Where the data lives: a file of this machine, or a MySQL server. The password inside a MySQL address stays a secret. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mysql'; readonly url: Secret };

/**
 * Reads a `DATABASE_URL`: `sqlite:data/tollgate.db` or `mysql://user:password@host:3306/tollgate`.
 * @returns null when the text is neither.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress | null {
  if (text.startsWith('sqlite:')) {
    const file = text.slice('sqlite:'.length);
    return file === '' || file === ':memory:' ? null : { kind: 'sqlite', file };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const isMysql = url?.protocol === 'mysql:' && url.hostname !== '' && url.pathname.length > 1;
  return isMysql ? { kind: 'mysql', url: new Secret(text) } : null;
}

/** What is wrong with a `DATABASE_URL`, as the rest of a sentence that begins with its name; null: nothing. */
export function findDatabaseUrlFault(text: string): string | null {
  const address = parseDatabaseUrl(text);
  if (address === null) return 'must be sqlite:<file> or mysql://user:password@host:3306/name';
  if (address.kind === 'sqlite') return null;
  const { search, hash } = new URL(text);
  if (search !== '' || hash !== '')
    return 'takes no parameters: take out what begins with ? or #, or write it as %3F, %23';
  try {
    const { port } = readMysqlUrl(address.url);
    return port === 0 ? 'names the port 0, where nothing listens' : null;
  } catch {
    return 'holds a % that is not part of a code such as %40: write a % of the password as %25';
  }
}

/** The parts of a MySQL address that the driver wants, percent-encoding undone. */
export function readMysqlUrl(url: Secret) {
  const parts = new URL(url.reveal());
  return {
    host: parts.hostname,
    port: Number(parts.port || 3306),
    user: decodeURIComponent(parts.username),
    password: decodeURIComponent(parts.password),
    database: decodeURIComponent(parts.pathname.slice(1)),
  };
}
