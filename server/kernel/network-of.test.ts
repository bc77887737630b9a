import { networkOf } from './network-of.js';

describe('The network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '::1'],
    ['2001:db8:1:2ff:a:b:c:d', '2001:db8:1:200::/56'],
    ['2001:db8:1:201::', '2001:db8:1:200::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
