import { readFileSync } from 'node:fs';

/** One server of an address: over the network, or through a socket of this machine. */
export type MysqlHost = { readonly host: string; readonly port: number } | { readonly socketPath: string };

/** How the connection is encrypted, in the words of Node's TLS. */
export interface MysqlTls {
  /** The server's certificate must come from the authority that was named, or from one that Node knows. */
  readonly rejectUnauthorized: boolean;
  /** And it must be made out to the host of the address. */
  readonly verifyIdentity: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What a MySQL address says, percent-encoding undone. */
export interface MysqlAddress {
  /** At least one; the first that can be reached and written to is used. */
  readonly hosts: readonly MysqlHost[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** null: not encrypted. */
  readonly tls: MysqlTls | null;
}

/** What is wrong with an address; never quotes user or password. */
export class MysqlAddressError extends Error {
  override readonly name = 'MysqlAddressError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

const addressPattern = /^(?:mysql|mariadb):\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/;
const hostPattern = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const usualPort = 3306;
const hostsMax = 16;
const parameterNames = ['ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key', 'socket'] as const;
type Parameters = Readonly<Partial<Record<(typeof parameterNames)[number], string>>>;

const tlsModes: Readonly<Record<string, Pick<MysqlTls, 'rejectUnauthorized' | 'verifyIdentity'> | null>> = {
  DISABLED: null,
  REQUIRED: { rejectUnauthorized: false, verifyIdentity: false },
  VERIFY_CA: { rejectUnauthorized: true, verifyIdentity: false },
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
};

/**
 * Reads `mysql://user:password@host:3306,other:3306/name?ssl-mode=VERIFY_IDENTITY&ssl-ca=/etc/ca.pem`, or the same with
 * `mariadb://`. The certificates' files are read anew each time, so that renewed ones are used by the next connection.
 * @throws MysqlAddressError with every fault at once.
 */
export function parseMysqlAddress(text: string, readFile: (path: string) => string = readTextFile): MysqlAddress {
  const [, login, hostList = '', name = '', query = ''] = addressPattern.exec(text) ?? [];
  if (!addressPattern.test(text)) {
    throw new MysqlAddressError([
      'must be mysql://user:password@host:3306/name; percent-encode @ : / ? # % in user and password',
    ]);
  }
  const faults: string[] = [];
  const parameters = readParameters(query, faults);
  const [user = '', password = ''] = readLogin(login, faults);
  const database = decode(name, 'name of the database', faults);
  if (database === '') faults.push('names no database: add /name behind the host');
  const hosts = parameters.socket === undefined ? readHosts(hostList, faults) : [{ socketPath: parameters.socket }];
  const tls = readTls(parameters, readFile, faults);
  if (faults.length > 0) throw new MysqlAddressError(faults);
  return { hosts, user, password, database, tls };
}

function readLogin(login: string | undefined, faults: string[]): readonly string[] {
  if (login === undefined || login === '') {
    faults.push('names no user: add user:password@ before the host');
    return [];
  }
  const colon = login.indexOf(':');
  const parts = colon < 0 ? [login] : [login.slice(0, colon), login.slice(colon + 1)];
  return parts.map((part) => decode(part, 'user or password', faults));
}

function readHosts(list: string, faults: string[]): MysqlHost[] {
  const texts = list.split(',');
  if (texts.length > hostsMax) faults.push(`names more than ${hostsMax} hosts`);
  return texts.slice(0, hostsMax).flatMap((text) => {
    const [, host, port = String(usualPort)] = hostPattern.exec(text) ?? [];
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
      faults.push(`"${text}" is no host: use a name, an IPv4 address or [an IPv6 address], and a port up to 65535`);
      return [];
    }
    return [{ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }];
  });
}

function readParameters(query: string, faults: string[]): Parameters {
  const parameters: Record<string, string> = {};
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...rest] = part.split('=');
    if (!(parameterNames as readonly string[]).includes(name)) {
      faults.push(`does not know the parameter "${name}": ${parameterNames.join(', ')} are known`);
    } else if (name in parameters) {
      faults.push(`has the parameter "${name}" twice`);
    } else {
      const value = decode(rest.join('='), name, faults);
      if (value === '') faults.push(`has the parameter "${name}" without a value`);
      else parameters[name] = value;
    }
  }
  return parameters;
}

function readTls(parameters: Parameters, readFile: (path: string) => string, faults: string[]): MysqlTls | null {
  const files = (['ssl-ca', 'ssl-cert', 'ssl-key'] as const).filter((name) => parameters[name] !== undefined);
  const modeName = parameters['ssl-mode'] ?? (files.length > 0 ? 'VERIFY_CA' : 'DISABLED');
  const mode = tlsModes[modeName.toUpperCase()];
  if (mode === undefined) {
    faults.push(`has the ssl-mode "${modeName}": ${Object.keys(tlsModes).join(', ')} are known`);
    return null;
  }
  if (mode === null) {
    if (files.length > 0) faults.push(`has ${files.join(', ')}, which ssl-mode=DISABLED would leave unused`);
    return null;
  }
  if ((parameters['ssl-cert'] === undefined) !== (parameters['ssl-key'] === undefined)) {
    faults.push('needs both ssl-cert and ssl-key, or neither');
  }
  const tls: Record<string, string> = {};
  for (const name of files) {
    try {
      tls[name.slice('ssl-'.length)] = readFile(String(parameters[name]));
    } catch (error) {
      faults.push(`cannot read ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { ...mode, ...tls };
}

function decode(text: string, what: string, faults: string[]): string {
  try {
    return decodeURIComponent(text);
  } catch {
    faults.push(`has a % in ${what} that is not followed by two hexadecimal digits: write %25 for it`);
    return '';
  }
}

function readTextFile(path: string): string {
  return readFileSync(path, 'utf8');
}
