import { BlockList, isIP } from 'node:net';

const notPublic = new BlockList();
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
  notPublic.addSubnet(network, prefix, 'ipv4');
}
// Only this part of IPv6 is given to public hosts; in it, 6to4 and Teredo carry an IPv4 address along.
const publicIpv6 = new BlockList();
publicIpv6.addSubnet('2000::', 3, 'ipv6');
notPublic.addSubnet('2002::', 16, 'ipv6');
notPublic.addSubnet('2001::', 32, 'ipv6');

const privateNames = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/**
 * Whether an image may be named so to a provider: as data, or on the web at a public host. We fetch no image, but a provider
 * that runs inside the operator's own network would fetch whatever a caller names there.
 */
export function isPublicImage(address: string): boolean {
  if (/^data:image\//i.test(address)) return true;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return isPublicHost(url.hostname.replace(/\.$/, ''));
}

// `URL` has written every odd spelling of an IPv4 address, such as 0x7f.1, in the ordinary way.
function isPublicHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4');
    case 6:
      return publicIpv6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
    default:
      return host.includes('.') && !privateNames.test(host);
  }
}
