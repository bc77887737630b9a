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
