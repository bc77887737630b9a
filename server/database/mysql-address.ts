import { isIP } from 'node:net';
import { decode, type HostAndPort, readHosts, readLogin, readParameters } from '../kernel/addresses/address-parts.js';
import {
  findCertificateFaults,
  listTlsFiles,
  readTlsParameters,
  type TlsSettings,
  tlsParameterNames,
} from '../kernel/addresses/tls-parameters.js';

/** One server of an address: over the network, or through a socket of this machine. */
export type MysqlHost = HostAndPort | { readonly socketPath: string };

/** What a MySQL address says, percent-encoding undone. */
export interface MysqlAddress {
  /** At least one; the first that can be reached and written to is used. */
  readonly hosts: readonly MysqlHost[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** null: not encrypted. */
  readonly tls: TlsSettings | null;
}

/** What is wrong with an address; never quotes user or password. */
export class MysqlAddressError extends Error {
  override readonly name = 'MysqlAddressError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

const addressPattern = /^(?:mysql|mariadb):\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/;
const usualPort = 3306;
const parameterNames = [...tlsParameterNames, 'socket'] as const;

/**
 * Reads `mysql://user:password@host:3306,other:3306/name?ssl-mode=VERIFY_IDENTITY&ssl-ca=/etc/ca.pem`, or the same with
 * `mariadb://`. The certificates' files are read anew each time, so that renewed ones are used by the next connection.
 * @throws MysqlAddressError with every fault at once.
 */
export function parseMysqlAddress(text: string, readFile?: (path: string) => string): MysqlAddress {
  const [, login = '', hostList = '', name = '', query = ''] = addressPattern.exec(text) ?? [];
  if (!addressPattern.test(text)) {
    throw new MysqlAddressError([
      'must be mysql://user:password@host:3306/name; percent-encode @ : / ? # % in user and password',
    ]);
  }
  const faults: string[] = [];
  const parameters = readParameters(query, parameterNames, faults);
  if (login === '') faults.push('names no user: add user:password@ before the host');
  const [user, password = ''] = readLogin(login, faults);
  const database = decode(name, 'name of the database', faults);
  if (database === '') faults.push('names no database: add /name behind the host');
  // TypeORM takes what stands before a dot for a database, and what stands behind it for a table.
  if (database?.includes('.')) faults.push('names a database with a dot in its name: use one without');
  const hosts =
    parameters.socket === undefined ? readHosts(hostList, usualPort, faults) : [{ socketPath: parameters.socket }];
  const usualMode = listTlsFiles(parameters).length > 0 ? 'VERIFY_CA' : 'DISABLED';
  const tls = readTlsParameters(parameters, { usualMode, readFile }, faults);
  if (tls?.verifyIdentity) faults.push(...listNamelessHosts(hosts));
  if (faults.length > 0) throw new MysqlAddressError(faults);
  return { hosts, user, password, database: String(database), tls };
}

/** What only a look into the files tells that an address names: whether they hold what they should. */
export function findMysqlCertificateFaults({ tls }: MysqlAddress): readonly string[] {
  return tls === null ? [] : findCertificateFaults(tls);
}

// mysql2 hands TLS no name for an IP address, and the certificate would be compared with "localhost".
function listNamelessHosts(hosts: readonly MysqlHost[]): string[] {
  return hosts.flatMap((host) =>
    'host' in host && isIP(host.host) !== 0
      ? [
          `has ssl-mode=VERIFY_IDENTITY and the address ${host.host}: write the name that its certificate is made out to, or use ssl-mode=VERIFY_CA`,
        ]
      : [],
  );
}
