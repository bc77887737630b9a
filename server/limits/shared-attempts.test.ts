import { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import type { AttemptCounter, AttemptRule } from '../kernel/attempt-counter.js';
import { silentLogger } from '../kernel/logger.js';
import { RedisConnection } from '../redis/redis-connection.js';
import { describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { describeOnRedis, PrivateRedis } from '../test/private-redis.js';
import { openSharedLimits, type SharedLimits } from './open-shared-limits.js';
import { type AttemptStore, SharedAttemptCounter } from './shared-attempt-counter.js';
import { DatabaseAttemptStore } from './stores/database-attempt-store.js';
import { SharedStoreWatch } from './stores/shared-store-watch.js';

const minuteMs = 60_000;

/** What every store promises to counters of the same rule in different processes; `setClockBack` has all windows end later. */
function defineSharedAttemptTests(
  openLimits: () => readonly SharedLimits[],
  setClockBack: (byMs: number) => Promise<void>,
): void {
  const openOnAll = (kind: string, rule: Partial<AttemptRule> = {}): [AttemptCounter, AttemptCounter] => {
    const [here, there] = openLimits().map(({ openCounter }) =>
      openCounter({ kind, max: 3, windowMs: minuteMs, ...rule }),
    );
    return [here as AttemptCounter, there as AttemptCounter];
  };

  it('one instance refuses what the other has counted, and says until when', async () => {
    const [here, there] = openOnAll('refused');
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await here.count('somebody')).toMatchObject({ waitMs: 0, count: attempt });
    }
    const { waitMs, count } = await there.count('somebody');
    expect(count).toBe(3);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(minuteMs);
    expect(await there.count('somebody else')).toMatchObject({ waitMs: 0, count: 1 });
  });

  it('counts exactly as many of a crowd as are granted, at all instances together', async () => {
    const counters = openOnAll('crowd', { max: 40 });
    const standings = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (counters[index % 2] as AttemptCounter).count('crowd')),
    );
    const counted = standings.filter(({ waitMs }) => waitMs === 0).map(({ count }) => count);
    expect(counted.sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('takes back at one instance what the other has counted: one attempt, or all of a name', async () => {
    const [here, there] = openOnAll('taken back');
    for (let attempt = 0; attempt < 3; attempt += 1) await here.count('a');
    await there.forgive('a');
    expect((await here.count('a')).count).toBe(3);
    await there.forget('a');
    expect((await here.count('a')).count).toBe(1);
    await there.forgive('nobody');
    expect((await here.count('nobody')).count).toBe(1);
  });

  it('counts without end where the rule has no bound, and by a bound that is given with an attempt', async () => {
    const [here, there] = openOnAll('unbounded', { max: Number.POSITIVE_INFINITY });
    for (let attempt = 0; attempt < 20; attempt += 1) expect((await here.count('a')).waitMs).toBe(0);
    expect((await there.count('a', 20)).waitMs).toBeGreaterThan(0);
    expect((await there.count('a')).count).toBe(21);
  });

  it('begins anew when a window has ended', async () => {
    const [here, there] = openOnAll('short', { max: 1, windowMs: 2_000 });
    await here.count('a');
    await eventually(async () => (await there.count('a')).waitMs === 0, 20);
    expect((await here.count('a')).waitMs).toBeGreaterThan(0);
  });

  it('refuses nobody for a window that was begun before the clock was set back', async () => {
    const [here, there] = openOnAll('set back', { max: 1 });
    await here.count('a');
    expect((await here.count('a')).waitMs).toBeGreaterThan(0);
    await setClockBack(2 * 60 * minuteMs);
    expect(await there.count('a')).toMatchObject({ waitMs: 0, count: 1 });
    const { waitMs } = await here.count('a');
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(minuteMs);
  });
}

describeOnRedis('What all instances count of attempts', () => {
  let server: PrivateRedis;
  const connections: RedisConnection[] = [];
  let limits: readonly SharedLimits[];
  const unused = null as unknown as UnitOfWork;
  const openLimits = async (url = server.url) => {
    const redis = new RedisConnection(url, silentLogger, 20_000);
    await redis.connect();
    connections.push(redis);
    return openSharedLimits({ ...parts, store: 'redis', redis, unitOfWork: unused });
  };
  const parts = { databaseKind: 'mysql', logger: silentLogger } as const;

  beforeAll(async () => {
    server = await PrivateRedis.start();
    limits = [await openLimits(), await openLimits()];
  });
  afterAll(async () => {
    for (const one of limits) await one.close();
    for (const connection of connections) connection.close();
    await server.kill();
  });

  defineSharedAttemptTests(
    () => limits,
    async (byMs) => {
      const inspector = new Redis(server.url.reveal());
      for (const key of await inspector.keys('tollgate:attempts:*')) {
        await inspector.pexpire(key, (await inspector.pttl(key)) + byMs);
      }
      inspector.disconnect();
    },
  );

  it('away: each instance goes on counting by itself, from nothing', async () => {
    const ownServer = await PrivateRedis.start();
    const away = await openLimits(ownServer.url);
    const counter = away.openCounter({ kind: 'away', max: 3, windowMs: minuteMs });
    await counter.count('a');
    await ownServer.kill();
    const waits = [];
    for (let attempt = 0; attempt < 5; attempt += 1) waits.push((await counter.count('a')).waitMs > 0);
    expect(waits).toEqual([false, false, false, true, true]);
    await counter.forgive('a');
    expect((await counter.count('a')).waitMs).toBe(0);
    await away.close();
  });
});

describeOnMysql('What all instances count of attempts', (openTestDatabase) => {
  const sources: DataSource[] = [];
  let limits: readonly SharedLimits[];
  beforeAll(async () => {
    const { address } = await openTestDatabase();
    for (let instance = 0; instance < 2; instance += 1) {
      sources.push(await openDataSource(createDataSource(address, { entities, migrations })));
    }
    const parts = { store: 'mysql', redis: null, databaseKind: 'mysql', logger: silentLogger } as const;
    limits = sources.map((source) => openSharedLimits({ ...parts, unitOfWork: new UnitOfWork(source) }));
  });
  afterAll(async () => {
    for (const one of limits) await one.close();
    for (const source of sources) await source.destroy();
  });

  defineSharedAttemptTests(
    () => limits,
    async (byMs) => {
      await (sources[0] as DataSource).query('UPDATE attempt_count SET ends_at_ms = ends_at_ms + ?', [byMs]);
    },
  );

  it('where a row is locked by another for longer than three seconds, each instance counts by itself, and together again afterwards', async () => {
    const [source] = sources as [DataSource];
    const counters = limits.map(({ openCounter }) => openCounter({ kind: 'held', max: 2, windowMs: minuteMs }));
    await counters[0]?.count('a');
    const holder = source.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT name_hash FROM attempt_count FOR UPDATE');
    const asked = counters.flatMap((counter) => Array.from({ length: 3 }, () => counter.count('a')));
    // Two of each process: more than the limit, and no more than the limit once for each.
    expect((await Promise.all(asked)).map(({ waitMs }) => waitMs > 0)).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
    await holder.rollbackTransaction();
    await holder.release();
    // A store that was away is asked again after a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await counters[0]?.forget('a');
    expect(await counters[0]?.count('a')).toMatchObject({ count: 1 });
    expect(await counters[1]?.count('a')).toMatchObject({ count: 2 });
  }, 30_000);

  it('removes what says nothing any more, and keeps the rest', async () => {
    const [source] = sources as [DataSource];
    const store = new DatabaseAttemptStore(new UnitOfWork(source), silentLogger);
    await store.count('a'.repeat(64), { max: 1, windowMs: 1 });
    await store.count('b'.repeat(64), { max: 1, windowMs: minuteMs });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.removeEnded();
    const rows = (await source.query('SELECT name_hash FROM attempt_count')) as { name_hash: string }[];
    const names = rows.map(({ name_hash }) => name_hash);
    expect(names).toContain('b'.repeat(64));
    expect(names).not.toContain('a'.repeat(64));
    await store.close();
  });
});

describe('SharedAttemptCounter', () => {
  it('asks the store no more about a name that it has refused, where attempts are never taken back', async () => {
    let asked = 0;
    const store: AttemptStore = {
      count: async (_, { max }) => {
        asked += 1;
        const isOver = asked > max;
        return { waitMs: isOver ? minuteMs : 0, count: Math.min(asked, max), endsInMs: minuteMs };
      },
      forgive: async () => {},
      forget: async () => {},
    };
    const rule = { kind: 'flood', max: 5, windowMs: minuteMs, isFinal: true };
    const counter = new SharedAttemptCounter(rule, store, new SharedStoreWatch());
    for (let attempt = 0; attempt < 1_000; attempt += 1) await counter.count('a');
    expect(asked).toBe(6);
    expect((await counter.count('a')).waitMs).toBeGreaterThan(0);
  });
});
