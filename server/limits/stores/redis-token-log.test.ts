import { Redis } from 'ioredis';
import { silentLogger } from '../../kernel/logger.js';
import { RedisConnection } from '../../redis/redis-connection.js';
import { describeOnRedis, PrivateRedis } from '../../test/private-redis.js';
import { RedisTokenLog } from './redis-token-log.js';

/** On a starved machine an answer takes longer than a caller would wait. */
const timeoutMs = 20_000;

describeOnRedis('The shared log of tokens', () => {
  let server: PrivateRedis;
  let inspector: Redis;
  let connections: readonly RedisConnection[];
  let logs: readonly RedisTokenLog[];
  beforeAll(async () => {
    server = await PrivateRedis.start();
    inspector = new Redis(server.url.reveal());
    connections = Array.from({ length: 4 }, () => new RedisConnection(server.url, silentLogger, timeoutMs));
    await Promise.all(connections.map((connection) => connection.connect()));
    logs = connections.map((connection) => new RedisTokenLog(connection));
  });
  afterAll(async () => {
    inspector.disconnect();
    for (const connection of connections) connection.close();
    await server.kill();
  });

  const enter = (log: RedisTokenLog | undefined, ownerId: string, tokens: number, limit = 1_000) =>
    (log as RedisTokenLog).enter({ ownerId, tokens, limit });

  it('lets exactly as many tokens in as the limit has, of a crowd at four instances', async () => {
    const entries = await Promise.all(Array.from({ length: 200 }, (_, index) => enter(logs[index % 4], 'crowd', 10)));
    expect(entries.filter(({ isEntered }) => isEntered)).toHaveLength(100);
    for (const { isEntered, used, roomInMs, emptyInMs } of entries) {
      expect(used).toBeLessThanOrEqual(1_000);
      expect(emptyInMs).toBeGreaterThan(0);
      expect(emptyInMs).toBeLessThanOrEqual(61_000);
      expect(roomInMs > 0).toBe(!isEntered);
    }
  });

  it('is corrected by whoever entered, and forgets what is older than a minute', async () => {
    const [one, other] = logs;
    const first = await enter(one, 'corrected', 900);
    expect(await enter(other, 'corrected', 200)).toMatchObject({ isEntered: false, used: 900 });
    await first.correct(-850);
    expect(await enter(other, 'corrected', 200)).toMatchObject({ isEntered: true, used: 250 });
    const key = 'tollgate:tokens:corrected';
    for (const [second, tokens] of Object.entries(await inspector.hgetall(key))) {
      await inspector.hdel(key, second);
      await inspector.hset(key, Number(second) - 61, tokens);
    }
    expect(await enter(other, 'corrected', 1_000)).toMatchObject({ isEntered: true, used: 1_000 });
    expect(await inspector.ttl(key)).toBeGreaterThan(0);
    expect(await inspector.ttl(key)).toBeLessThanOrEqual(62);
    await inspector.del(key);
    await first.correct(850);
    expect(await enter(other, 'corrected', 1)).toMatchObject({ isEntered: true, used: 1 });
  });

  it('refuses nobody for tokens of before the clock was set back by hours, and never for longer than a window', async () => {
    const key = 'tollgate:tokens:set back';
    const setBack = async (bySeconds: number) => {
      const found = Object.entries(await inspector.hgetall(key));
      await inspector.del(key);
      for (const [second, tokens] of found) await inspector.hset(key, Number(second) + bySeconds, tokens);
    };
    const [one, other] = logs;
    await enter(one, 'set back', 1_000);
    await setBack(30);
    const refused = await enter(other, 'set back', 1);
    expect(refused).toMatchObject({ isEntered: false, used: 1_000 });
    expect(Math.max(refused.roomInMs, refused.emptyInMs)).toBeLessThanOrEqual(61_000);
    await setBack(7_200);
    expect(await enter(other, 'set back', 1)).toMatchObject({ isEntered: true, used: 1 });
  });
});
