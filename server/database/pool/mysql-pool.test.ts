import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import type { Pool, PoolConnection } from 'mysql2';
import { Secret } from '../../kernel/secret.js';
import type { BatchFailure } from '../../ledger/commits/ledger-store.js';
import { MysqlLedgerStore } from '../../ledger/commits/mysql-ledger-store.js';
import { eventually } from '../../test/eventually.js';
import { FakeMysqlServer } from '../../test/fake-mysql-server.js';
import { standStill, tickAwake } from '../../test/tick-awake.js';
import { readMysqlUrl } from '../database-address.js';
import { findDatabaseAway } from '../database-errors.js';
import { MysqlServers } from '../mysql-servers.js';
import { closePool } from './close-pool.js';
import { insideOf } from './driver-inside.js';
import { boundWaits, createMysqlDriver } from './mysql-pool.js';

const readOnly = 1290;
const isWrite = (sql: string) => sql.startsWith('INSERT');

describe('the pool of MySQL connections', () => {
  let servers: FakeMysqlServer[] = [];
  let pool: Pool;

  const openPool = async (count: number, options: object = {}) => {
    servers = await Promise.all(Array.from({ length: count }, () => FakeMysqlServer.start()));
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = new Secret(`mysql://app:secret@${hosts}/tollgate`);
    pool = createMysqlDriver(MysqlServers.of(url)).createPool({ ...readMysqlUrl(url), connectionLimit: 4, ...options });
  };
  afterEach(async () => {
    await pool.promise().end();
    await Promise.all(servers.map((server) => server.close()));
  });

  const take = () =>
    new Promise<PoolConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
    });
  const ask = (connection: PoolConnection, sql: string) =>
    new Promise<number>((resolve) => {
      connection.query(sql, (error) => resolve(error?.errno ?? 0));
    });
  const askOnce = async (sql: string) => {
    const connection = await take();
    const errno = await ask(connection, sql);
    connection.release();
    return errno;
  };

  it('goes to the next server when the first cannot be reached, and stays there', async () => {
    await openPool(2);
    await servers[0]?.close();
    await expect(take()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await askOnce('SELECT 1')).toBe(0);
    expect(await askOnce('SELECT 2')).toBe(0);
    expect(servers[1]?.statements).toEqual(expect.arrayContaining(['SELECT 1', 'SELECT 2']));
    expect(servers[1]?.connectionCount).toBe(1);
  });

  it('ends no connection twice where it is closed and its own timer was not cleared, and lives on', async () => {
    await openPool(1, { gracefulEnd: true, maxIdle: 3 });
    for (const connection of await Promise.all([take(), take(), take(), take()])) connection.release();
    const closed = pool as Pool & { readonly _removeIdleTimeoutConnectionsTimer: { readonly _onTimeout: () => void } };
    const { _onTimeout: endIdle } = closed._removeIdleTimeoutConnectionsTimer;
    await closed.promise().end();
    for (const round of [endIdle, endIdle]) expect(round).not.toThrow();
    clearTimeout(closed._removeIdleTimeoutConnectionsTimer as unknown as NodeJS.Timeout);
    await servers[0]?.close();
    await openPool(1);
  });

  it('lives on when the socket of a connection that was refused fails afterwards', async () => {
    let socket: Socket | null = null;
    await openPool(1, {
      stream: () => {
        socket = connect(Number(servers[0]?.port), '127.0.0.1');
        return socket;
      },
    });
    const [server] = servers as [FakeMysqlServer];
    server.refuseConnection = 1040;
    await expect(take()).rejects.toMatchObject({ errno: 1040 });
    const fail = () => socket?.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    for (const again of [fail, fail]) expect(again).not.toThrow();
  });

  it('is closed in time although the server never answers the statement under way', async () => {
    await openPool(1);
    const [server] = servers as [FakeMysqlServer];
    server.isSilent = (sql) => sql === 'SELECT silence';
    const asked = ask(await take(), 'SELECT silence');
    await eventually(() => server.statements.includes('SELECT silence'));
    await closePool(pool, () => pool.promise().end(), 50);
    expect(await asked).toBe(0);
    await server.close();
    await openPool(1);
  });

  it('uses no connection to a server any more that has become read-only, neither a busy nor an idle one', async () => {
    await openPool(2);
    const connections = await Promise.all([take(), take(), take()]);
    for (const connection of connections.slice(1)) connection.release();
    const [old, next] = servers as [FakeMysqlServer, FakeMysqlServer];
    old.refuse = (sql) => (isWrite(sql) ? readOnly : null);

    const busy = connections[0] as PoolConnection;
    const stillBusy = await take();
    expect(await ask(busy, 'INSERT INTO key_row VALUES (1)')).toBe(readOnly);
    busy.release();
    stillBusy.release();

    const answers = await Promise.all(Array.from({ length: 8 }, () => askOnce('INSERT INTO key_row VALUES (2)')));
    expect(answers).toEqual(Array.from({ length: 8 }, () => 0));
    expect(old.statements.filter(isWrite)).toHaveLength(1);
    expect(next.statements.filter(isWrite)).toHaveLength(8);
  });

  it.each([
    ['ProxySQL without a server behind it', 9001],
    ['MySQL Router that cannot reach the primary', 2003],
    ['MySQL Router that lost the primary', 2013],
    ['a member without its group', 3100],
    ['a server that shuts down', 1053],
  ])('leaves %s (%d), and takes no connection to it again', async (_, errno) => {
    await openPool(2);
    const connections = await Promise.all([take(), take(), take()]);
    for (const connection of connections.slice(1)) connection.release();
    const [old, next] = servers as [FakeMysqlServer, FakeMysqlServer];
    old.refuse = (sql) => (isWrite(sql) ? errno : null);
    const busy = connections[0] as PoolConnection;
    expect(await ask(busy, 'INSERT INTO key_row VALUES (1)')).toBe(errno);
    busy.release();
    const answers = await Promise.all(Array.from({ length: 8 }, () => askOnce('INSERT INTO key_row VALUES (2)')));
    expect(answers).toEqual(Array.from({ length: 8 }, () => 0));
    expect(old.statements.filter(isWrite)).toHaveLength(1);
    expect(next.statements.filter(isWrite)).toHaveLength(8);
  });

  it('goes on to the next server when a router refuses the connection itself, by a number that has no name', async () => {
    await openPool(2);
    const [router, next] = servers as [FakeMysqlServer, FakeMysqlServer];
    router.refuseConnection = 9001;
    await expect(take()).rejects.toMatchObject({ errno: 9001 });
    expect(await askOnce('SELECT 1')).toBe(0);
    expect(next.statements).toContain('SELECT 1');
  });

  it('comes back to a server that is alone, by a new connection', async () => {
    await openPool(1);
    const [server] = servers as [FakeMysqlServer];
    server.refuse = (sql) => (isWrite(sql) ? readOnly : null);
    expect(await askOnce('INSERT INTO key_row VALUES (1)')).toBe(readOnly);
    server.refuse = () => null;
    expect(await askOnce('INSERT INTO key_row VALUES (1)')).toBe(0);
    expect(server.connectionCount).toBe(2);
  });

  it.each([
    ['a duplicate key', 1062, 1],
    ['a deadlock', 1213, 1],
    ['a broken CHECK', 3819, 1],
    ['an error that nobody has listed', 14_999, 2],
    ['a statement that this user may not make', 1142, 2],
  ])('answers %s (%d), and has used %d connection(s) by the next statement', async (_, errno, connections) => {
    await openPool(1);
    const [server] = servers as [FakeMysqlServer];
    server.refuse = (sql) => (isWrite(sql) ? errno : null);
    expect(await askOnce('INSERT INTO key_row VALUES (1)')).toBe(errno);
    expect(await askOnce('SELECT 1')).toBe(0);
    expect(server.connectionCount).toBe(connections);
  });

  describe('at a server that is full', () => {
    const openLedger = async () => {
      const url = new Secret(`mysql://app:secret@127.0.0.1:${servers[0]?.port}/tollgate`);
      const store = new MysqlLedgerStore(url, { leaseMs: 60_000, graceMs: 30_000 });
      // The server answers nothing that a batch needs, which is asked once it is connected.
      const { stage } = await store.commitBatch([]).then(
        () => ({ stage: 'committed' }),
        (error: BatchFailure) => error,
      );
      await store.close();
      return stage;
    };
    const isConnected = async () => (await openLedger()) !== 'not_begun';
    /** Takes the one connection that there may be, and gives it back to somebody who was refused another one. */
    const waitForTheOnlyOne = async () => {
      await openPool(1);
      const [server] = servers as [FakeMysqlServer];
      server.connectionsMax = 1;
      const only = await take();
      const waiting = take();
      await eventually(() => server.connectionCount > 1);
      only.release();
      (await waiting).release();
      return server;
    };

    it('lets go of the unused ones, so that the ledger has a place', async () => {
      await openPool(1);
      for (const connection of await Promise.all([take(), take(), take(), take()])) connection.release();
      const [server] = servers as [FakeMysqlServer];
      server.connectionsMax = 4;
      expect(await isConnected()).toBe(false);
      await eventually(isConnected);
    });

    it('lets go of one in use when it is given back, also where others wait for it', async () => {
      await openPool(1);
      const taken = await Promise.all([take(), take(), take(), take()]);
      const waiting = take();
      const [server] = servers as [FakeMysqlServer];
      server.connectionsMax = 4;
      expect(await isConnected()).toBe(false);
      for (const connection of taken) connection.release();
      (await waiting).release();
      await eventually(isConnected);
    });

    it('has whoever finds none wait for one that is open', async () => {
      await waitForTheOnlyOne();
    });

    it('has two a second later, and as many as before after a minute', async () => {
      const server = await waitForTheOnlyOne();
      server.connectionsMax = Number.POSITIVE_INFINITY;
      const now = performance.now();
      const openAfter = async (ms: number, count: number) => {
        mock.method(performance, 'now', () => now + ms);
        const taken = await Promise.all(Array.from({ length: count }, take));
        const open = insideOf(pool).all.length;
        for (const connection of taken) connection.release();
        mock.restoreAll();
        return open;
      };
      expect(await openAfter(1_000, 2)).toBe(2);
      expect(await openAfter(60_001, 4)).toBe(4);
    });
  });

  it('is not cut for a silence in which this process stood still: what the server said meanwhile is heard', async () => {
    await openPool(1);
    boundWaits(pool, { silenceMs: 400, connectionMs: 60_000 });
    const [server] = servers as [FakeMysqlServer];
    server.refuse = (sql) => {
      if (isWrite(sql)) standStill(1_000);
      return null;
    };
    for (let times = 0; times < 2; times += 1) expect(await askOnce('INSERT INTO key_row VALUES (1)')).toBe(0);
    expect(server.connectionCount).toBe(1);
  });

  describe('of which all are in use', () => {
    let taken: PoolConnection[] = [];
    beforeEach(async () => {
      await openPool(1);
      taken = await Promise.all([take(), take(), take(), take()]);
      mock.timers.enable({ apis: ['setTimeout'] });
    });
    afterEach(() => mock.timers.reset());

    it('refuses who has waited for two seconds, as a database that is away; the connection that comes too late is for the next one', async () => {
      boundWaits(pool);
      const refused = take().catch((error: unknown) => error);
      mock.timers.tick(300_000);
      await tickAwake(1_749);
      const served = take();
      await tickAwake(1);
      const error = await refused;
      expect(error).toMatchObject({ code: 'POOL_BUSY' });
      expect(findDatabaseAway(error)).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000 });
      // The first to come back goes to the one who gave up, and on from there.
      taken.shift()?.release();
      (await served).release();
      for (const connection of taken) connection.release();
      expect(servers[0]?.connectionCount).toBe(4);
    });

    it('lets migrations wait as long as it takes', async () => {
      const served = take();
      mock.timers.tick(60_000);
      taken.shift()?.release();
      (await served).release();
      for (const connection of taken) connection.release();
    });

    it('refuses at once where thousands wait already', async () => {
      boundWaits(pool);
      const waiting = Array.from({ length: 2_048 }, () => take().catch((error: { code: string }) => error.code));
      await expect(take()).rejects.toMatchObject({ code: 'POOL_BUSY' });
      await tickAwake(2_000);
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['POOL_BUSY']));
      for (const connection of taken) connection.release();
      mock.timers.reset();
      const isServed = () =>
        take().then(
          (connection) => connection.release(),
          () => false,
        );
      await eventually(async () => (await isServed()) !== false);
    });
  });
});
