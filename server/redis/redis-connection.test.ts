import { once } from 'node:events';
import { silentLogger } from '../kernel/logger.js';
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
