import { BlockList, isIP } from 'node:net';

// A list for each family: asked about IPv4, one list would take it for its spelling in IPv6 as well.
const closedV4 = new BlockList();
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
// Only this part of IPv6 is given to public hosts; in it, 6to4 and Teredo carry an IPv4 address along.
const openV6 = new BlockList();
openV6.addSubnet('2000::', 3, 'ipv6');
const closedV6 = new BlockList();
closedV6.addSubnet('2002::', 16, 'ipv6');
closedV6.addSubnet('2001::', 32, 'ipv6');

/**
 * Whether an IP address belongs to the public internet: not this machine, no private network, no link-local or metadata
 * address, no multicast, and no IPv4-mapped IPv6 address. What is no IP address at all is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closedV4.check(address, 'ipv4');
  return family === 6 && openV6.check(address, 'ipv6') && !closedV6.check(address, 'ipv6');
}
