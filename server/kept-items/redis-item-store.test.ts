import { Redis } from 'ioredis';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { SharedStoreWatch } from '../limits/stores/shared-store-watch.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { describeOnRedis, PrivateRedis } from '../test/private-redis.js';
import { MemoryItemStore } from './item-store.js';
import { KeptItems } from './kept-items.js';
import { RedisItemStore } from './redis-item-store.js';

/** On a starved machine an answer takes longer than a caller would wait. */
const timeoutMs = 20_000;
const bounds = { keptMs: 60_000, bytesOfAccountMax: 1_000, bytesMax: 6_000 };
const keyOf = (accountId: string) => `tollgate:items:${accountId}`;

describeOnRedis('The items that instances keep together', () => {
  let server: PrivateRedis;
  let inspector: Redis;
  let connections: readonly RedisConnection[];
  let stores: readonly RedisItemStore[];
  beforeAll(async () => {
    server = await PrivateRedis.start();
    inspector = new Redis(server.url.reveal());
    connections = [1, 2].map(() => new RedisConnection(server.url, silentLogger, timeoutMs));
    await Promise.all(connections.map((connection) => connection.connect()));
    stores = connections.map(openStore);
  });
  afterAll(async () => {
    inspector.disconnect();
    for (const store of stores) store.close();
    for (const connection of connections) connection.close();
    await server.kill();
  });

  const openStore = (connection: RedisConnection) =>
    new RedisItemStore({ connection, watch: new SharedStoreWatch(), own: new MemoryItemStore(bounds) }, bounds);
  const storeAt = (index: number) => stores[index] as RedisItemStore;
  const keep = (store: RedisItemStore, accountId: string, answerId: string, bytes = 30) =>
    store.keep({ accountId, answerId, sealed: Buffer.alloc(bytes, answerId) });
  const find = async (store: RedisItemStore, accountId: string, ...answerIds: string[]) => [
    ...(await store.find(accountId, answerIds)).keys(),
  ];

  it('are found at every instance, byte for byte, by their account and no other', async () => {
    expect(await keep(storeAt(0), 'one', 'a')).toBe(true);
    const found = await storeAt(1).find('one', ['a', 'unknown']);
    expect([...found]).toEqual([['a', Buffer.alloc(30, 'a')]]);
    expect(await find(storeAt(1), 'other', 'a')).toEqual([]);
  });

  it('make room for newer ones of their account, the oldest first', async () => {
    // As text each has 400 bytes.
    for (const answerId of ['a', 'b', 'c']) await keep(storeAt(0), 'full', answerId, 300);
    expect(await find(storeAt(1), 'full', 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(await inspector.hget(keyOf('full'), 'bytes')).toBe('800');
    expect(await keep(storeAt(0), 'full', 'd', 900)).toBe(false);
  });

  it('are gone when their time is over, and leave nothing behind', async () => {
    await keep(storeAt(0), 'late', 'a');
    const key = keyOf('late');
    expect(await inspector.ttl(key)).toBeLessThanOrEqual(bounds.keptMs / 1_000);
    for (const field of ['at:0', 'is:a']) {
      const text = (await inspector.hget(key, field)) ?? '';
      await inspector.hset(
        key,
        field,
        text.replace(/^\d+/, (second) => String(Number(second) - 61)),
      );
    }
    expect(await find(storeAt(1), 'late', 'a')).toEqual([]);
    await keep(storeAt(0), 'late', 'b');
    expect(await inspector.hkeys(key)).toEqual(expect.not.arrayContaining(['at:0', 'is:a']));
  });

  it('take no more of all accounts than one process may write', async () => {
    const [connection] = connections as [RedisConnection];
    const store = openStore(connection);
    const kept: boolean[] = [];
    for (let index = 0; index < 8; index += 1) kept.push(await keep(store, `crowd-${index}`, 'a', 600));
    expect(kept.filter(Boolean)).toHaveLength(7);
    store.close();
  });

  it('are told to nobody who reads Redis, nor to another key of the account', async () => {
    const items = new KeptItems(storeAt(0), silentLogger);
    const holder = { accountId: 'sealed', secret: new Secret('sk-tg-one') };
    await items.keep(holder, 'a', '[{"text":"canary"}]');
    expect(await items.find(holder, ['a'])).toEqual(new Map([['a', '[{"text":"canary"}]']]));
    expect(await items.find({ ...holder, secret: new Secret('sk-tg-other') }, ['a'])).toEqual(new Map());
    const stored = Object.entries(await inspector.hgetall(keyOf('sealed'))).flat();
    const asText = stored.flatMap((text) => [text, Buffer.from(text.split(' ').at(-1) ?? '', 'base64').toString()]);
    expect(asText.filter((text) => text.includes('canary'))).toEqual([]);
  });

  it('are kept by the instance itself while Redis is away, and found by it afterwards', async () => {
    const other = await PrivateRedis.start();
    const connection = new RedisConnection(other.url, silentLogger, timeoutMs);
    await connection.connect();
    const store = openStore(connection);
    await other.kill();
    expect(await keep(store, 'one', 'a')).toBe(true);
    expect(await find(store, 'one', 'a')).toEqual(['a']);
    store.close();
    connection.close();
  });
});
