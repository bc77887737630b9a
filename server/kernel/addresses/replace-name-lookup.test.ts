import dns, { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { countLookUpThreads, replaceNameLookup } from './replace-name-lookup.js';

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const addresses = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

describe('dns.lookup, once it is replaced', () => {
  const former = dns.lookup;
  const asked: unknown[][] = [];
  let putBack: () => void;

  beforeAll(() => {
    const system = (...question: [string, object, (error: null, found: readonly LookupAddress[]) => void]) => {
      const [name, options, told] = question;
      if (isIP(name) !== 0) return (former as (...all: readonly unknown[]) => void)(...question);
      asked.push([name, options]);
      setImmediate(told, null, addresses);
    };
    Object.assign(dns, { lookup: system });
    putBack = replaceNameLookup({ logger, connectMs: 5_000, threadPoolSize: undefined });
  });
  afterAll(() => {
    putBack();
    Object.assign(dns, { lookup: former });
  });
  beforeEach(() => {
    asked.length = 0;
  });

  const lookUp = (...words: readonly unknown[]) =>
    new Promise((resolve) => {
      const told = (...answer: readonly unknown[]) => resolve(answer);
      (dns.lookup as unknown as (...all: readonly unknown[]) => void)(...words, told);
    });

  it('answers in each of its forms, and asks the system with the same options, for all addresses', async () => {
    expect(await lookUp('one.test')).toEqual([null, '192.0.2.1', 4]);
    expect(await lookUp('one.test', 4)).toEqual([null, '192.0.2.1', 4]);
    expect(await lookUp('one.test', { family: 0, hints: dns.ADDRCONFIG })).toEqual([null, '192.0.2.1', 4]);
    expect(await lookUp('one.test', { all: true, order: 'verbatim' })).toEqual([null, addresses]);
    expect(asked).toEqual([
      ['one.test', { all: true }],
      ['one.test', { all: true, family: 4 }],
      ['one.test', { all: true, family: 0, hints: dns.ADDRCONFIG }],
      ['one.test', { all: true, order: 'verbatim' }],
    ]);
  });

  it.each(['192.0.2.7', '2001:db8::7'])(
    'leaves the address %s to Node.js, which needs no thread for it',
    async (address) => {
      expect(await lookUp(address)).toEqual([null, address, address.includes(':') ? 6 : 4]);
    },
  );

  it('asks nobody for this machine, and refuses what Node.js refuses', async () => {
    expect(await lookUp('localhost', { family: 4 })).toEqual([null, '127.0.0.1', 4]);
    expect(asked).toEqual([]);
    expect(() => (dns.lookup as unknown as (name: string) => void)('one.test')).toThrow();
  });

  it('is what a name imported from node:dns means, too', async () => {
    const { lookup } = await import('node:dns');
    expect(lookup).toBe(dns.lookup);
  });
});

describe('the threads that libuv has for look-ups', () => {
  it.each([
    [undefined, 2],
    ['1', 1],
    ['3', 2],
    ['16', 8],
    ['0', 1],
    ['none', 1],
    ['9999', 512],
  ])('are, with UV_THREADPOOL_SIZE=%s, %i', (size, count) => expect(countLookUpThreads(size)).toBe(count));
});
