import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** A network such as 192.0.2.0/24 or 2001:db8::/32; one address is a network of full length. */
export interface Network {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  readonly prefixLength: number;
}

/**
 * Reads an address or a network in CIDR notation. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is taken for what it is.
 * @returns null for anything else.
 */
export function parseNetwork(text: string): Network | null {
  const [, addressText = '', lengthText] = /^([0-9a-fA-F.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = canonicalAddress(addressText);
  if (address === null) return null;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const bits = family === 'ipv4' ? 32 : 128;
  // `::ffff:192.0.2.0/120` counts the 96 bits before the IPv4 address.
  const mappedBits = family === 'ipv4' && isIPv6(addressText) ? 96 : 0;
  const prefixLength = lengthText === undefined ? bits : Number(lengthText) - mappedBits;
  return prefixLength >= 0 && prefixLength <= bits ? { family, address, prefixLength } : null;
}

/** As it is stored and shown: `192.0.2.0/24`, `2001:db8::1`. */
export function formatNetwork({ family, address, prefixLength }: Network): string {
  return prefixLength === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${prefixLength}`;
}

/** Whether every address of one network lies in the other. */
export function isWithin(inner: Network, outer: Network): boolean {
  const isOfSameKind = inner.family === outer.family && inner.prefixLength >= outer.prefixLength;
  return isOfSameKind && toBlockList([outer]).check(inner.address, inner.family);
}

// Made once for each list that is in use; a list is never changed.
const blockLists = new WeakMap<readonly string[], Record<Network['family'], BlockList>>();

/** Whether an address lies in one of these networks. What is no address lies nowhere. */
export function isAddressAmong(networks: readonly string[], addressText: string): boolean {
  const address = canonicalAddress(addressText);
  if (address === null) return false;
  let lists = blockLists.get(networks);
  if (!lists) {
    const parsed = networks.map(parseNetwork).filter((network) => network !== null);
    // Apart, because a list of IPv6 networks would also be asked about IPv4 addresses written as IPv6.
    const ofFamily = (family: Network['family']) => toBlockList(parsed.filter((network) => network.family === family));
    lists = { ipv4: ofFamily('ipv4'), ipv6: ofFamily('ipv6') };
    blockLists.set(networks, lists);
  }
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return lists[family].check(address, family);
}

function toBlockList(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const { family, address, prefixLength } of networks) {
    // A subnet of length 0 is refused by Node where it is not all zeros.
    list.addSubnet(prefixLength === 0 ? (family === 'ipv4' ? '0.0.0.0' : '::') : address, prefixLength, family);
  }
  return list;
}

/** Stands for each address that nobody could read, so that they are one network together. It lies in no other one. */
export const unknownAddress = 'unknown';

const ipv4Shape = /^([\d.]+)(?::\d{1,5})?$/;
const ipv6Shape = /^(?:\[([^\]%]+)(?:%[^\]]*)?\](?::\d{1,5})?|([^%]+)(?:%.*)?)$/;

/**
 * Reads the address of a caller as sockets and proxies write it: with a port or without, of IPv6 in brackets or not and with a
 * zone or not, any of it in quotes and between spaces.
 * @returns the address alone, in its one form; an IPv4 address written as IPv6 as what it is. `unknownAddress` for anything else.
 */
export function readAddress(text: string): string {
  if (isIPv4(text)) return text;
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  const [, ipv4] = ipv4Shape.exec(bare) ?? [];
  const [, bracketed, plain] = ipv6Shape.exec(bare) ?? [];
  return canonicalAddress(ipv4 ?? bracketed ?? plain ?? '') ?? unknownAddress;
}

/**
 * The network that an address belongs to, for limits: an IPv4 address itself, of an IPv6 address the first 56 bits, which is
 * what one household is given, so that nobody escapes a limit by another of its own addresses. What is no address is
 * `unknownAddress`.
 * @param from An address, or what this made of one.
 */
export function networkOf(from: string): string {
  if (from.includes('/')) return parseNetwork(from) === null ? unknownAddress : from;
  const address = readAddress(from);
  // This machine is nobody's network.
  return isIPv6(address) && address !== '::1' ? maskAddress(address, 56) : address;
}

/** What gifts are counted by and abuse is looked for in: a /24 of IPv4, a /56 of IPv6. @param from An address, or what `networkOf` made of one. */
export function networkBlockOf(from: string): string {
  const network = networkOf(from);
  return isIPv4(network) ? maskAddress(network, 24) : network;
}

/**
 * The network of an address with so many bits, as text that is the same for each of its addresses.
 * @param address Of IPv6 at most 64 bits are kept. @param prefixLength In whole bytes.
 */
export function maskAddress(address: string, prefixLength: number): string {
  if (isIPv4(address)) {
    const bytes = address.split('.').map((byte, at) => (at * 8 < prefixLength ? Number(byte) : 0));
    return `${bytes.join('.')}/${prefixLength}`;
  }
  const groups = groupsOfIPv6(address).slice(0, 4);
  const kept = groups.map((group, at) => {
    const bits = prefixLength - at * 16;
    return bits >= 16 ? group : bits >= 8 ? group & 0xff00 : 0;
  });
  return `${kept.map((group) => group.toString(16)).join(':')}::/${prefixLength}`;
}

function groupsOfIPv6(address: string): number[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)];
  return all.map((group) => Number.parseInt(group, 16));
}

// The URL parser writes IPv6 in its one shortest form.
function canonicalAddress(text: string): string | null {
  if (isIP(text) !== 6) return isIPv4(text) ? text : null;
  if (text.includes('%')) return null;
  const shortest = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}
