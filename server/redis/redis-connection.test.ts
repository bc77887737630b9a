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
});
