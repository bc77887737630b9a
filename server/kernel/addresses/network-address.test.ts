import {
  formatNetwork,
  isAddressAmong,
  isWithin,
  type Network,
  networkBlockOf,
  networkOf,
  parseNetwork,
} from './network-address.js';

describe('network addresses', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:0200/120', '192.0.2.0/24'],
    ['::/0', '::/0'],
  ])('reads %s as %s', (text, canonical) => expect(formatNetwork(parseNetwork(text) as Network)).toBe(canonical));

  it.each([
    '',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1/33',
    '192.0.2.1/-1',
    '192.0.2.1/08',
    '192.0.2.1/24/8',
    '2001:db8::/129',
    '::ffff:192.0.2.1/24',
    'fe80::1%eth0',
    'example.com',
    ' 192.0.2.1',
    '0x7f.1',
  ])('takes %j for no network', (text) => expect(parseNetwork(text)).toBeNull());

  it.each([
    ['192.0.2.77', ['192.0.2.0/24'], true],
    ['::ffff:192.0.2.77', ['192.0.2.0/24'], true],
    ['::FFFF:C000:024D', ['192.0.2.0/24'], true],
    ['192.0.3.1', ['192.0.2.0/24'], false],
    ['192.0.2.77', ['192.0.2.99/24'], true],
    ['192.0.2.77', ['203.0.113.0/24', '192.0.2.77'], true],
    ['2001:db8:1::5', ['2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['192.0.2.77', ['0.0.0.0/0'], true],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['192.0.2.77', ['::/0'], false],
    ['::ffff:192.0.2.77', ['::/0'], false],
    ['2001:db8::1', ['::/0'], true],
    ['unknown', ['0.0.0.0/0', '::/0'], false],
    ['_hidden', ['0.0.0.0/0', '::/0'], false],
  ])('%s in %j: %s', (address, networks, expected) => expect(isAddressAmong(networks, address)).toBe(expected));

  it.each([
    ['192.0.2.0/25', '192.0.2.0/24', true],
    ['192.0.2.0/24', '192.0.2.0/24', true],
    ['192.0.2.0/23', '192.0.2.0/24', false],
    ['192.0.3.0/25', '192.0.2.0/24', false],
    ['192.0.2.1', '0.0.0.0/0', true],
    ['192.0.2.1', '::/0', false],
    ['2001:db8:5::/48', '2001:db8::/32', true],
  ])('%s within %s: %s', (inner, outer, expected) =>
    expect(isWithin(parseNetwork(inner) as Network, parseNetwork(outer) as Network)).toBe(expected),
  );
});

describe('The network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['::1', '::1'],
    ['2001:db8:1:2ff:a:b:c:d', '2001:db8:1:200::/56'],
    ['2001:db8:1:201::', '2001:db8:1:200::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['192.0.2.7:50001', '192.0.2.7'],
    ['[2001:db8:1:2ff::d]:443', '2001:db8:1:200::/56'],
    ['unknown', 'unknown'],
    ['_hidden', 'unknown'],
    ['192.0.2.7/x', 'unknown'],
    ['', 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
    ['2001:db8:1:200::/56', '2001:db8:1:200::/56'],
  ])('%s is counted in %s', (address, block) => expect(networkBlockOf(address)).toBe(block));
});
