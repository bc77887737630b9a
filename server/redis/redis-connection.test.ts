import { once } from 'node:events';
import { silentLogger } from '../kernel/logger.js';
import { eventually } from '../test/eventually.js';
import { describeOnRedis, PrivateRedis } from '../test/private-redis.js';
import { RedisConnection } from './redis-connection.js';

describeOnRedis('The connection to Redis', () => {
  it('comes back also where the library has given it up, until it is closed', async () => {
    const server = await PrivateRedis.start();
    const connection = new RedisConnection(server.url, silentLogger, 20_000);
    await connection.connect();
    const back = once(connection.redis, 'ready');
    connection.redis.disconnect();
    await back;
    expect(await connection.runScript('return 7', 'tollgate:any')).toBe(7);
    const ended = once(connection.redis, 'end');
    connection.close();
    await ended;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(connection.redis.status).toBe('end');
    await server.kill();
  });

  it('names a server that takes no writes, once, as long as it takes none, and is back when it takes them again', async () => {
    const [server, master] = [await PrivateRedis.start(), await PrivateRedis.start()];
    const told: string[] = [];
    const tell = (event: string, { reason = '' }: { reason?: unknown } = {}) =>
      told.push(`${event} ${String(reason).split(' ')[0]}`.trim());
    const connection = new RedisConnection(server.url, { info: tell, warn: tell, error: tell }, 20_000);
    await connection.connect();
    const isUp = () => connection.listMetrics().find(({ name }) => name === 'tollgate_redis_up')?.value;
    const write = () => connection.runScript("return redis.call('INCR', KEYS[1])", 'tollgate:any').catch(() => null);
    const { hostname, port } = new URL(master.url.reveal());
    const operator = connection.duplicate(() => false);
    await once(operator, 'ready');
    await operator.call('REPLICAOF', hostname, port);
    let connections = 0;
    connection.redis.on('ready', () => {
      connections += 1;
    });
    await eventually(async () => (await write()) === null && connections > 0 && connection.isReady);
    for (let count = 0; count < 20; count += 1) expect(await write()).toBeNull();
    expect(isUp()).toBe(0);
    expect(connections).toBeLessThan(3);
    await operator.call('REPLICAOF', 'NO', 'ONE');
    await eventually(async () => (await write()) !== null && isUp() === 1, 50);
    expect(told).toEqual(['redis_connected', 'redis_went_away READONLY', 'redis_came_back']);
    operator.disconnect();
    connection.close();
    await Promise.all([server.kill(), master.kill()]);
  }, 30_000);

  it.each([
    [
      'once that its server forgets keys when its memory is full',
      ['--maxmemory', '3mb', '--maxmemory-policy', 'volatile-lru'],
      'volatile-lru',
    ],
    ['nothing of a server that forgets none', ['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction'], null],
    ['nothing of a server without a bound', ['--maxmemory', '0', '--maxmemory-policy', 'allkeys-lru'], null],
    [
      'nothing of a server that does not tell',
      [
        '--maxmemory',
        '3mb',
        '--maxmemory-policy',
        'allkeys-lru',
        ...'--user default on nopass ~* &* +@all -info'.split(' '),
      ],
      null,
    ],
  ])('says %s', async (_, words, policy) => {
    const server = await PrivateRedis.start(words);
    const warned: unknown[] = [];
    const warn = (event: string, fields?: object) => warned.push({ event, ...fields });
    const connection = new RedisConnection(server.url, { ...silentLogger, warn }, 20_000);
    await connection.connect();
    expect(await connection.findEvictionPolicy()).toBe(policy);
    const back = once(connection.redis, 'ready');
    connection.redis.disconnect(true);
    await back;
    expect(await connection.findEvictionPolicy()).toBe(policy);
    expect(warned).toEqual(policy === null ? [] : [{ event: 'redis_may_evict', policy }]);
    connection.close();
    await server.kill();
  });

  it('counts its commands by how they ended, those that wait, and how long Redis took', async () => {
    const server = await PrivateRedis.start();
    const connection = new RedisConnection(server.url, silentLogger, 200);
    await connection.connect();
    const figures = () =>
      Object.fromEntries(connection.listMetrics().map(({ name, labels = '', value }) => [name + labels, value]));
    await connection.runScript('return 7', 'tollgate:any');
    await expect(connection.runScript("return redis.error_reply('ERR no')", 'tollgate:any')).rejects.toThrow('ERR no');
    server.freeze();
    const unanswered = connection.runScript('return 7', 'tollgate:any');
    expect(figures().tollgate_redis_commands_waiting).toBe(1);
    await expect(unanswered).rejects.toThrow('Command timed out');
    server.thaw();
    // `once` of node:events would fail by the error that the kernel may report before: the connection was reset.
    const closed = new Promise((resolve) => connection.redis.once('close', resolve));
    await server.kill();
    await closed;
    await expect(connection.remove('tollgate:any')).rejects.toThrow();
    expect(figures()).toMatchObject({
      ...{ tollgate_redis_up: 0, tollgate_redis_connections_total: 1, tollgate_redis_commands_waiting: 0 },
      ...{ 'tollgate_redis_commands_totalresult="answered"': 1, 'tollgate_redis_commands_totalresult="refused"': 1 },
      ...{ 'tollgate_redis_commands_totalresult="timed_out"': 1, 'tollgate_redis_commands_totalresult="away"': 1 },
      tollgate_redis_command_seconds_count: 1,
    });
    connection.close();
  });
});
