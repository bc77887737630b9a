import { type RedisAddress, readRedisAddress } from './redis-address.js';

const alone = { kind: 'single', database: 0, tls: null, masterName: null, login: {}, sentinelLogin: {} };

describe('the address of Redis', () => {
  it.each<[string, Partial<RedisAddress>]>([
    ['redis://cache', { ...alone, kind: 'single', hosts: [{ host: 'cache', port: 6379 }] }],
    ['redis://cache:6380/3', { hosts: [{ host: 'cache', port: 6380 }], database: 3 }],
    ['redis://[::1]:6380/', { hosts: [{ host: '::1', port: 6380 }], database: 0 }],
    ['redis://:p%40ss@cache', { login: { password: 'p@ss' } }],
    ['redis://app:a:b@cache', { login: { username: 'app', password: 'a:b' } }],
    ['redis://cache?family=6', { ipVersion: 6 }],
    ['rediss://cache', { tls: { rejectUnauthorized: true, verifyIdentity: true } }],
    ['rediss://cache?ssl-mode=verify_ca', { tls: { rejectUnauthorized: true, verifyIdentity: false } }],
    ['rediss://cache?ssl-mode=REQUIRED', { tls: { rejectUnauthorized: false, verifyIdentity: false } }],
    [
      'redis+sentinel://app:secret@one,two:26380/mymaster/2?sentinel-password=other',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'one', port: 26_379 },
          { host: 'two', port: 26_380 },
        ],
        login: { username: 'app', password: 'secret' },
        sentinelLogin: { password: 'other' },
        ...{ masterName: 'mymaster', database: 2, tls: null },
      },
    ],
    ['rediss+sentinel://one/my%2Dmaster', { masterName: 'my-master', tls: expect.anything() }],
    [
      'rediss+cluster://:secret@one:7000,two:7001',
      {
        kind: 'cluster',
        hosts: [
          { host: 'one', port: 7000 },
          { host: 'two', port: 7001 },
        ],
        tls: { rejectUnauthorized: true, verifyIdentity: true },
      },
    ],
  ])('%s is understood', (text, expected) => {
    const { address, faults } = readRedisAddress(text);
    expect(faults).toEqual([]);
    expect(address).toMatchObject(expected);
  });

  it.each([
    ['cache', /^must be redis:\/\/.*redis\+sentinel:.*redis\+cluster:.*percent-encode/],
    ['http://cache', /^must be redis:/],
    ['redis+socket:///run/redis.sock', /^must be redis:/],
    ['redis://', /^must be redis:/],
    ['redis:///0', /^must be redis:/],
    ['redis://cache/first', /^must be redis:/],
    ['redis://cache/0/1', /^must be redis:/],
    ['redis://:50%@cache', /^must be redis:.*percent-encode/],
    ['redis://:a/b@cache', /^must be redis:.*percent-encode/],
    ['redis://:a#b@cache', /^must be redis:.*percent-encode/],
    ['redis://cache:0', /"cache:0" is no host/],
    ['redis://cache:70000', /is no host: use a name.*port up to 65535/],
    ['redis://::1', /is no host.*IPv6/],
    ['redis://one,two', /several hosts: begin it with redis\+sentinel:\/\/ or redis\+cluster:/],
    ['redis://cache?tls=true', /parameter "tls": family, ssl-mode, ssl-ca, ssl-cert, ssl-key are known/],
    ['redis://cache?sentinel-password=x', /does not know the parameter "sentinel-password"/],
    ['redis://cache?family=5', /family "5": 4 and 6/],
    ['redis://cache?family=4&family=6', /twice/],
    ['redis://cache?ssl-mode=REQUIRED', /has ssl-mode, which only rediss:\/\/ uses/],
    ['redis://cache?ssl-ca=/ca.pem', /has ssl-ca, which only rediss:\/\/ uses/],
    ['rediss://cache?ssl-mode=DISABLED', /write redis:\/\/ for it/],
    ['rediss://cache?ssl-mode=PREFERRED', /PREFERRED.*VERIFY_IDENTITY are known/],
    ['rediss://cache?ssl-cert=/dev/null', /both ssl-cert and ssl-key|cannot read/],
    ['rediss://cache?ssl-ca=/none.pem', /cannot read ssl-ca: ENOENT.*\/none\.pem/],
    ['rediss://cache?ssl-ca=/dev/zero', /cannot read ssl-ca: \/dev\/zero: it is no ordinary file/],
    ['rediss://cache?ssl-ca=package.json', /ssl-ca a file without a certificate/],
    ['redis+sentinel://one,two', /what the Sentinels call the master: add \/mymaster/],
    ['redis+sentinel://one,two/mymaster/x', /^must be redis:/],
    ['redis+sentinel://one,,two/mymaster', /"" is no host/],
    ['redis+cluster://one,two/1', /a Cluster has only 0: take \/1 out/],
    ['redis+cluster://one,two/name', /^must be redis:/],
  ])('%s is refused in one line with the remedy', (text, remedy) => {
    const { address, faults } = readRedisAddress(text);
    expect(address).toBeNull();
    expect(faults[0]).toMatch(remedy);
    expect(faults.join('\n')).toMatch(/^[^\n]+(\n[^\n]+)*$/);
  });

  it('tells all its faults at once, and never user or password', () => {
    const { faults } = readRedisAddress('redis://someone:hunter2@one:0,two/?colour=red&ssl-mode=REQUIRED&family=5');
    expect(faults).toHaveLength(4);
    expect(faults.join()).not.toMatch(/someone|hunter2/);
  });
});
