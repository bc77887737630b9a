import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../database/data-source.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { silentLogger } from '../../kernel/logger.js';
import { RedisConnection } from '../../redis/redis-connection.js';
import { databaseUrlOf, describeOnMysql } from '../../test/each-database.js';
import { describeOnRedis, PrivateRedis } from '../../test/private-redis.js';
import { giveSchema } from '../../test/schema-template.js';
import type { TokenLog } from '../token-log.js';
import { DatabaseTokenLog } from './database-token-log.js';
import { RedisTokenLog } from './redis-token-log.js';

/** On a starved machine an answer takes longer than a caller would wait. */
const timeoutMs = 20_000;

const enter = (log: TokenLog | undefined, ownerId: string, tokens: number, limit = 1_000) =>
  (log as TokenLog).enter({ ownerId, tokens, limit });

interface KeptTokens {
  /** Moves all that an owner has entered to a later second. */
  readonly move: (ownerId: string, bySeconds: number) => Promise<void>;
  readonly remove: (ownerId: string) => Promise<unknown>;
}

/** What every shared log promises. */
function defineTokenLogTests(openLogs: () => readonly TokenLog[], { move, remove }: KeptTokens): void {
  it('lets exactly as many tokens in as the limit has, of a crowd at four instances', async () => {
    const logs = openLogs();
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
    const [one, other] = openLogs();
    const first = await enter(one, 'corrected', 900);
    expect(await enter(other, 'corrected', 200)).toMatchObject({ isEntered: false, used: 900 });
    await first.correct(-850);
    expect(await enter(other, 'corrected', 200)).toMatchObject({ isEntered: true, used: 250 });
    await move('corrected', -61);
    expect(await enter(other, 'corrected', 1_000)).toMatchObject({ isEntered: true, used: 1_000 });
    // What it entered has left the window by then.
    await remove('corrected');
    await first.correct(850);
    expect(await enter(other, 'corrected', 1)).toMatchObject({ isEntered: true, used: 1 });
  });

  it('refuses nobody for tokens of before the clock was set back by hours, and never for longer than a window', async () => {
    const [one, other] = openLogs();
    await enter(one, 'set back', 1_000);
    await move('set back', 30);
    const refused = await enter(other, 'set back', 1);
    expect(refused).toMatchObject({ isEntered: false, used: 1_000 });
    expect(Math.max(refused.roomInMs, refused.emptyInMs)).toBeLessThanOrEqual(61_000);
    await move('set back', 7_200);
    expect(await enter(other, 'set back', 1)).toMatchObject({ isEntered: true, used: 1 });
  });
}

describeOnMysql('The log of tokens in the database', (openTestDatabase) => {
  let sources: readonly DataSource[];
  let logs: readonly DatabaseTokenLog[];
  let databaseUrl: string;
  const ask = (statement: string, values: readonly string[]) =>
    (sources[0] as DataSource).query(statement, [...values]);
  beforeAll(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    databaseUrl = databaseUrlOf(database.address);
    sources = await Promise.all(
      [1, 2, 3, 4].map(() => createDataSource(database.address, { entities, migrations }).initialize()),
    );
    logs = sources.map((source) => new DatabaseTokenLog(new UnitOfWork(source)));
  });
  afterAll(async () => {
    for (const source of sources) await source.destroy();
  });

  defineTokenLogTests(() => logs, {
    move: async (ownerId, bySeconds) => {
      const [row] = await ask('SELECT seconds FROM token_minute WHERE owner_id = ?', [ownerId]);
      const moved = String(row.seconds).replace(/(\d+):/g, (_, second) => `${Number(second) + bySeconds}:`);
      await ask('UPDATE token_minute SET seconds = ? WHERE owner_id = ?', [moved, ownerId]);
    },
    remove: (ownerId) => ask('DELETE FROM token_minute WHERE owner_id = ?', [ownerId]),
  });

  it('makes others wait once for a row that somebody keeps locked, and the end of an answer a second at most', async () => {
    const log = logs[0] as DatabaseTokenLog;
    const [locked] = await Promise.all(['locked', 'free'].map((ownerId) => enter(log, ownerId, 1)));
    // No connection of ours, which would be cut when it says nothing for long.
    const holder = await createConnection(databaseUrl);
    await holder.beginTransaction();
    await holder.query("SELECT seconds FROM token_minute WHERE owner_id = 'locked' FOR UPDATE");
    const refused = enter(log, 'locked', 1).catch((error: unknown) => error);
    expect((await enter(log, 'free', 1)).isEntered).toBe(true);
    const begunMs = performance.now();
    for (let entered = 0; entered < 10; entered += 1) expect((await enter(log, 'free', 1)).isEntered).toBe(true);
    expect(performance.now() - begunMs).toBeLessThan(1_500);
    expect(await refused).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000 });
    const correctingMs = performance.now();
    await locked?.correct(5);
    expect(performance.now() - correctingMs).toBeLessThan(1_900);
    await holder.rollback();
    await holder.end();
    expect((await enter(log, 'locked', 1)).isEntered).toBe(true);
  });
});

describeOnRedis('The shared log of tokens', () => {
  let server: PrivateRedis;
  let inspector: Redis;
  let connections: readonly RedisConnection[];
  let logs: readonly RedisTokenLog[];
  const keyOf = (ownerId: string) => `tollgate:tokens:${ownerId}`;
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

  defineTokenLogTests(() => logs, {
    move: async (ownerId, bySeconds) => {
      const found = Object.entries(await inspector.hgetall(keyOf(ownerId)));
      await inspector.del(keyOf(ownerId));
      for (const [second, tokens] of found) await inspector.hset(keyOf(ownerId), Number(second) + bySeconds, tokens);
    },
    remove: (ownerId) => inspector.del(keyOf(ownerId)),
  });

  it('forgets an owner who uses no more tokens', async () => {
    await enter(logs[0], 'idle', 1_000);
    expect(await inspector.ttl(keyOf('idle'))).toBeGreaterThan(0);
    expect(await inspector.ttl(keyOf('idle'))).toBeLessThanOrEqual(62);
  });
});
