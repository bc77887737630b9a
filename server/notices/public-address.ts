import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { InvalidInputError } from '../kernel/app-error.js';

// Everything that is not the public internet: this machine, private networks, link-local and metadata addresses, multicast,
// and the ways in which IPv6 spells IPv4.
// A list for each family: asked about IPv4, one list would take it for its spelling in IPv6 as well.
const closedV4 = new BlockList();
const closedV6 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  closedV4.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  closedV6.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  return family === 6 ? !closedV6.check(address, 'ipv6') : !closedV4.check(address, 'ipv4');
}

/**
 * Checks a web address that somebody else chose and our server shall post to.
 * @param isDevelopment Also takes http and private addresses, for trying it out on one machine.
 * @throws InvalidInputError that names the field.
 */
export function assertWebhookUrl(field: string, text: string, isDevelopment: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isKnownScheme = url?.protocol === 'https:' || (isDevelopment && url?.protocol === 'http:');
  if (!url || !isKnownScheme || text.length > 2_000) {
    throw new InvalidInputError(field, 'Enter an https address such as https://example.com/tollgate.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(field, 'Leave user and password out of the address; our signature proves who we are.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isDevelopment && isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new InvalidInputError(field, 'This address is not on the public internet.');
  }
}

/** A look-up of names that answers public addresses only, so that a name cannot lead into our own network. */
export const lookUpPublicAddress: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const open = error ? [] : addresses.filter(({ address }) => isPublicAddress(address));
    const first = open[0];
    if (error) done(error, '');
    else if (!first) done(Object.assign(new Error(`${hostname} has no public address.`), { code: 'ENOTPUBLIC' }), '');
    else if (options.all) done(null, open);
    else done(null, first.address, first.family);
  });
};
