import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network that an address belongs to, for limits: an IPv4 address itself, of an IPv6 address the first 56 bits, which is
 * what one household is given, so that nobody escapes a limit by another of its own addresses.
 */
export function networkOf(from: string): string {
  const address = withoutMapping(from);
  // This machine is nobody's network.
  if (!isIPv6(address) || address === '::1') return address;
  const [a, b, c, d] = groupsOfIPv6(address);
  return `${[a, b, c, (d ?? 0) & 0xff00].map((group) => (group ?? 0).toString(16)).join(':')}::/56`;
}

/** What gifts are counted by and abuse is looked for in: a /24 of IPv4, a /56 of IPv6. @param from An address, or what `networkOf` made of one. */
export function networkBlockOf(from: string): string {
  const network = networkOf(from);
  return isIPv4(network) ? `${network.split('.').slice(0, 3).join('.')}.0/24` : network;
}

/** An IPv4 address that is written as one of IPv6, as itself; any other address as it is. */
export function withoutMapping(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The eight groups of an IPv6 address. */
export function groupsOfIPv6(address: string): number[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)];
  return all.map((group) => Number.parseInt(group, 16));
}
