import { type HostAndPort, readHosts, readLogin, readParameters } from './address-parts.js';
import {
  findCertificateFaults,
  type listTlsFiles,
  readTlsParameters,
  type TlsSettings,
  tlsParameterNames,
} from './tls-parameters.js';

/** Where Redis is: one server, the master that Sentinels know, or a Cluster. */
export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** The server; the Sentinels; some nodes of the Cluster. */
  readonly hosts: readonly HostAndPort[];
  readonly login: RedisLogin;
  readonly database: number;
  /** null: not encrypted. */
  readonly tls: TlsSettings | null;
  /** 0: whichever the name's first address is of. */
  readonly ipVersion: 0 | 4 | 6;
  /** What the Sentinels call the master; null: there are none. */
  readonly masterName: string | null;
  readonly sentinelLogin: RedisLogin;
}

export interface RedisLogin {
  readonly username?: string;
  readonly password?: string;
}

const addressPattern =
  /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const generalFault =
  'must be redis://user:password@host:6379/0, redis+sentinel://user:password@host:26379,host:26379/master/0 or ' +
  'redis+cluster://user:password@host:6379,host:6379, or the same with rediss for TLS; percent-encode @ : / ? # % in user and password';
const usualPorts = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;
const sentinelParameterNames = ['sentinel-username', 'sentinel-password'] as const;

/**
 * Reads a `REDIS_URL`.
 * @returns the address, or everything that is wrong with it, each as the end of a sentence that begins with the setting's name
 * and does not quote user or password.
 */
export function readRedisAddress(text: string): { address: RedisAddress | null; faults: readonly string[] } {
  const [, scheme, second, loginText = '', hostList = '', path = '', query = ''] = addressPattern.exec(text) ?? [];
  const kind = (second ?? 'single') as RedisAddress['kind'];
  const place = readPlace(kind, path);
  const loginFaults: string[] = [];
  const [username, password] = readLogin(loginText, loginFaults);
  if (scheme === undefined || place === null || loginFaults.length > 0)
    return { address: null, faults: [generalFault] };
  const faults: string[] = [];
  const hosts = readHosts(hostList, usualPorts[kind], faults);
  if (kind === 'single' && hosts.length > 1) {
    faults.push('names several hosts: begin it with redis+sentinel:// or redis+cluster://');
  }
  if (kind === 'sentinel' && place.masterName === null) {
    faults.push('does not say what the Sentinels call the master: add /mymaster behind them');
  }
  if (kind === 'cluster' && place.database !== 0) {
    faults.push(`has the database ${place.database}, and a Cluster has only 0: take /${place.database} out`);
  }
  const names = ['family', ...tlsParameterNames, ...(kind === 'sentinel' ? sentinelParameterNames : [])] as const;
  const parameters = readParameters(query, names, faults);
  const { family = '0', 'sentinel-username': sentinelUser, 'sentinel-password': sentinelPassword } = parameters;
  if (!/^[046]$/.test(family)) faults.push(`has the family "${family}": 4 and 6 are known`);
  const tls = readTls(scheme === 'rediss', parameters, faults);
  const address = {
    kind,
    hosts,
    ...place,
    tls,
    ipVersion: Number(family) as RedisAddress['ipVersion'],
    login: toLogin(username, password),
    sentinelLogin: toLogin(sentinelUser, sentinelPassword),
  };
  return faults.length === 0 ? { address, faults } : { address: null, faults };
}

/** @returns null for a path that means nothing. */
function readPlace(kind: RedisAddress['kind'], path: string): Pick<RedisAddress, 'masterName' | 'database'> | null {
  const pattern = kind === 'sentinel' ? /^([\w.%-]+)?(?:\/(\d{0,5}))?$/ : /^()(\d{0,5})$/;
  const [, name, database = ''] = pattern.exec(path) ?? [];
  if (!pattern.test(path)) return null;
  try {
    return { masterName: name ? decodeURIComponent(name) : null, database: Number(database) };
  } catch {
    return null;
  }
}

function readTls(isEncrypted: boolean, parameters: Parameters<typeof listTlsFiles>[0], faults: string[]) {
  if (isEncrypted) {
    if (parameters['ssl-mode']?.toUpperCase() === 'DISABLED') {
      faults.push('has ssl-mode=DISABLED behind rediss://: write redis:// for it');
      return null;
    }
    const tls = readTlsParameters(parameters, { usualMode: 'VERIFY_IDENTITY' }, faults);
    if (tls !== null && faults.length === 0) faults.push(...findCertificateFaults(tls));
    return tls;
  }
  const unused = tlsParameterNames.filter((name) => parameters[name] !== undefined);
  if (unused.length > 0) faults.push(`has ${unused.join(', ')}, which only rediss:// uses: write rediss:// for TLS`);
  return null;
}

function toLogin(username: string | undefined, password: string | undefined): RedisLogin {
  return { ...(username ? { username } : {}), ...(password ? { password } : {}) };
}
