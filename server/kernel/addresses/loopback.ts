import { BlockList, isIP } from 'node:net';

/** The name that means this machine alone, by IPv4 and by IPv6. */
export const loopbackName = 'localhost';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a host, as a name, an address or the host of a URL, can be nobody but this machine. A name that would have to be
 * looked up first can be anybody.
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const family = isIP(bare);
  if (family !== 0) return loopback.check(bare, family === 4 ? 'ipv4' : 'ipv6');
  const name = bare.replace(/\.$/, '');
  // Names below localhost are kept for this machine (RFC 6761).
  return name === loopbackName || name.endsWith(`.${loopbackName}`);
}
