import { mock } from 'node:test';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { silentLogger } from '../kernel/logger.js';
import { isRedisAway } from '../redis/redis-away.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { databaseUrlOf, describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { describeOnRedis, PrivateRedis } from '../test/private-redis.js';
import { MemorySlidingWindow, type SlidingWindow, windowMs } from './sliding-window.js';
import { DatabaseSlidingWindow } from './stores/database-sliding-window.js';
import { FallbackSlidingWindow } from './stores/fallback-sliding-window.js';
import { RedisSlidingWindow } from './stores/redis-sliding-window.js';
import { SharedStoreWatch } from './stores/shared-store-watch.js';

/** On a starved machine four hundred answers at once take longer than a caller would wait. */
const timeoutMs = 20_000;

let requestCount = 0;

const enter = async (window: SlidingWindow, accountId: string, limit = 60) => {
  requestCount += 1;
  return window.enter({ accountId, requestId: `call_${requestCount}`, limit });
};

/** What every shared window promises; `age` makes the oldest requests of an account older. */
function defineSharedLogTests(
  openWindows: () => readonly SlidingWindow[],
  age: (accountId: string, count: number, byMs: number) => Promise<void>,
): void {
  it('lets exactly 60 of 400 through that come at once at four instances', async () => {
    const windows = openWindows();
    const entries = await Promise.all(
      Array.from({ length: 400 }, (_, index) => enter(windows[index % windows.length] as SlidingWindow, 'crowd')),
    );
    expect(entries.filter(({ isEntered }) => isEntered)).toHaveLength(60);
    const counts = entries.filter(({ isEntered }) => isEntered).map(({ count }) => count);
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    for (const { isEntered, count } of entries) if (!isEntered) expect(count).toBe(60);
  });

  it('lets as many in as have left the window, and not one more: no burst where minutes meet', async () => {
    const [window] = openWindows() as [SlidingWindow];
    for (let request = 0; request < 60; request += 1) expect((await enter(window, 'sliding')).isEntered).toBe(true);
    const refused = await enter(window, 'sliding');
    expect(refused.isEntered).toBe(false);
    expect(refused.oldestLeavesInMs).toBeGreaterThan(0);
    expect(refused.oldestLeavesInMs).toBeLessThanOrEqual(windowMs);
    await age('sliding', 10, windowMs);
    const entries = await Promise.all(Array.from({ length: 30 }, () => enter(window, 'sliding')));
    expect(entries.filter(({ isEntered }) => isEntered)).toHaveLength(10);
  });

  it('counts each account by itself, and a refused request not at all', async () => {
    const [window] = openWindows() as [SlidingWindow];
    expect((await enter(window, 'small', 1)).isEntered).toBe(true);
    for (let request = 0; request < 5; request += 1) expect((await enter(window, 'small', 1)).isEntered).toBe(false);
    await age('small', 1, windowMs);
    expect(await enter(window, 'small', 1)).toMatchObject({ isEntered: true, count: 1 });
    expect((await enter(window, 'other', 1)).isEntered).toBe(true);
  });

  it('refuses nobody for what was entered before the clock was set back by hours, and never for longer than a window', async () => {
    const [window] = openWindows() as [SlidingWindow];
    for (let request = 0; request < 3; request += 1) await enter(window, 'set back', 3);
    await age('set back', 3, -windowMs / 2);
    const refused = await enter(window, 'set back', 3);
    expect(refused.isEntered).toBe(false);
    expect(refused.oldestLeavesInMs).toBeLessThanOrEqual(windowMs + 1_000);
    await age('set back', 3, -120 * windowMs);
    expect(await enter(window, 'set back', 3)).toMatchObject({ isEntered: true, count: 1 });
  });
}

describeOnRedis('The shared window of requests', () => {
  let server: PrivateRedis;
  let inspector: Redis;
  let connections: readonly RedisConnection[];
  let windows: readonly RedisSlidingWindow[];
  beforeAll(async () => {
    server = await PrivateRedis.start();
    inspector = new Redis(server.url.reveal());
    connections = Array.from({ length: 4 }, () => new RedisConnection(server.url, silentLogger, timeoutMs));
    await Promise.all(connections.map((connection) => connection.connect()));
    windows = connections.map((connection) => new RedisSlidingWindow(connection));
  });
  afterAll(async () => {
    inspector.disconnect();
    for (const connection of connections) connection.close();
    await server.kill();
  });

  defineSharedLogTests(
    () => windows,
    async (accountId, count, byMs) => {
      const key = `tollgate:requests:${accountId}`;
      const oldest = await inspector.zrange(key, 0, count - 1);
      for (const member of oldest) await inspector.zincrby(key, -byMs * 1_000, member);
    },
  );

  it('forgets an account that makes no more requests', async () => {
    await enter(windows[0] as SlidingWindow, 'idle');
    const ttlMs = await inspector.pttl('tollgate:requests:idle');
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(windowMs);
  });

  it('tells of a value of another kind, and of nothing while it is away', async () => {
    const told: unknown[] = [];
    const watch = new SharedStoreWatch({ isAway: isRedisAway, tell: (error) => told.push(error) });
    const ownServer = await PrivateRedis.start();
    const connection = new RedisConnection(ownServer.url, silentLogger, timeoutMs);
    await connection.connect();
    const window = new FallbackSlidingWindow(new RedisSlidingWindow(connection), new MemorySlidingWindow(), watch);
    await ownServer.kill();
    expect(await enter(window, 'odd')).toMatchObject({ isEntered: true });
    expect(told).toEqual([]);
    await window.close();
    connection.close();

    await inspector.set('tollgate:requests:odd', 'of another kind');
    const odd = new FallbackSlidingWindow(windows[0] as SlidingWindow, new MemorySlidingWindow(), watch);
    for (let request = 0; request < 3; request += 1) expect(await enter(odd, 'odd')).toMatchObject({ isEntered: true });
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') })]);
    await odd.close();
  });

  it('away: each instance goes on counting by itself, waves nobody through, and comes back by itself', async () => {
    const ownServer = await PrivateRedis.start();
    const connection = new RedisConnection(ownServer.url, silentLogger, timeoutMs);
    await connection.connect();
    const window = new FallbackSlidingWindow(new RedisSlidingWindow(connection), new MemorySlidingWindow());
    await enter(window, 'account', 5);
    await ownServer.kill();
    const entries = [];
    for (let request = 0; request < 20; request += 1) entries.push(await enter(window, 'account', 5));
    expect(entries.filter(({ isEntered }) => isEntered)).toHaveLength(5);
    await enter(window, 'probe');
    await enter(window, 'probe');
    await ownServer.resume();
    // Its memory is gone with it, so a count of 1 shows that Redis answers again, and not the process.
    await eventually(async () => (await enter(window, 'probe', 1_000_000)).count === 1, 20);
    await window.close();
    connection.close();
    await ownServer.kill();
  });
});

describeOnMysql('The shared window of requests', (openTestDatabase) => {
  const sources: DataSource[] = [];
  let databaseUrl: string;
  beforeAll(async () => {
    const { address } = await openTestDatabase();
    databaseUrl = databaseUrlOf(address);
    for (let instance = 0; instance < 4; instance += 1) {
      sources.push(await openDataSource(createDataSource(address, { entities, migrations })));
    }
  });
  afterAll(async () => {
    for (const source of sources) await source.destroy();
  });

  defineSharedLogTests(
    () => sources.map((source) => new DatabaseSlidingWindow(new UnitOfWork(source))),
    async (accountId, count, byMs) => {
      const [source] = sources as [DataSource];
      const [row] = (await source.query('SELECT moments FROM request_minute WHERE account_id = ?', [accountId])) as {
        moments: string;
      }[];
      const moments = (row?.moments ?? '').split(' ').map((moment) => Number.parseInt(moment, 36));
      const aged = moments.map((momentMs, index) => (index < count ? momentMs - byMs : momentMs));
      const packed = aged.map((momentMs) => momentMs.toString(36)).join(' ');
      await source.query('UPDATE request_minute SET moments = ? WHERE account_id = ?', [packed, accountId]);
    },
  );

  it('enters all requests that come while one transaction is under way in one more', async () => {
    const unitOfWork = new UnitOfWork(sources[0] as DataSource);
    const transact = mock.method(unitOfWork, 'transactForServer');
    const window = new DatabaseSlidingWindow(unitOfWork);
    await Promise.all(Array.from({ length: 50 }, (_, index) => enter(window, `account-${index}`)));
    expect(transact.mock.callCount()).toBe(1);
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await new Promise((resolve) => setImmediate(resolve));
        return enter(window, `account-${index % 5}`);
      }),
    );
    expect(transact.mock.callCount()).toBeLessThanOrEqual(3);
  });

  it('makes requests of others wait once for a row that somebody keeps locked, and then no more', async () => {
    const window = new DatabaseSlidingWindow(new UnitOfWork(sources[0] as DataSource));
    for (const accountId of ['locked', 'free']) await enter(window, accountId);
    // No connection of ours, which would be cut when it says nothing for long.
    const holder = await createConnection(databaseUrl);
    await holder.beginTransaction();
    await holder.query("SELECT moments FROM request_minute WHERE account_id = 'locked' FOR UPDATE");
    const waiting = enter(window, 'locked');
    expect((await enter(window, 'free')).isEntered).toBe(true);
    let isStillWaiting = true;
    void waiting.finally(() => {
      isStillWaiting = false;
    });
    // It waits for its own row, which the others no longer ask for.
    for (let request = 0; request < 10; request += 1) expect((await enter(window, 'free')).isEntered).toBe(true);
    expect(isStillWaiting).toBe(true);
    await holder.rollback();
    await holder.end();
    expect((await waiting).isEntered).toBe(true);
  });

  it('refuses a crowd of requests of an account whose row stays locked, in words, and keeps no connection from others', async () => {
    const unitOfWork = new UnitOfWork(sources[0] as DataSource);
    const window = new DatabaseSlidingWindow(unitOfWork);
    for (const accountId of ['held', 'unheld']) await enter(window, accountId);
    const holder = await createConnection(databaseUrl);
    await holder.beginTransaction();
    await holder.query("SELECT moments FROM request_minute WHERE account_id = 'held' FOR UPDATE");
    // More than there are connections.
    const crowd = Promise.allSettled(Array.from({ length: 60 }, () => enter(window, 'held')));
    let isOver = false;
    void crowd.finally(() => {
      isOver = true;
    });
    let enteredCount = 0;
    for (; !isOver; enteredCount += 1) {
      await enter(window, 'unheld');
      await unitOfWork.reader.query('SELECT 1');
    }
    const entries = await crowd;
    await holder.rollback();
    await holder.end();
    expect(enteredCount).toBeGreaterThan(10);
    for (const entry of entries)
      expect(entry).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable', retryAfterMs: 2_000 } });
    expect((await enter(window, 'held')).isEntered).toBe(true);
  });
});
