import type { Config } from '../../config/config.js';
import { silentLogger } from '../../kernel/logger.js';
import { off, ok } from '../../operator/service/check-list.js';

/** Whether Redis answers, and keeps what is counted there. @throws when it does not answer. */
export async function lookAtRedis({ redisUrl }: Config) {
  if (redisUrl === null) return off('REDIS_URL is not set: limits are counted by each process, or in MySQL.');
  const { RedisConnection } = await import('../../redis/redis-connection.js');
  const redis = new RedisConnection(redisUrl, silentLogger);
  try {
    await redis.connect();
    await redis.runScript('return 1', 'tollgate:doctor');
    const policy = await redis.findEvictionPolicy();
    if (policy === null) return ok('answers');
    return {
      standing: 'warning',
      text: `answers, but forgets keys when its memory is full (maxmemory-policy ${policy}), and the limits counted there with them`,
      remedy: 'Set maxmemory-policy noeviction there, or give Tollgate a Redis of its own.',
    } as const;
  } finally {
    redis.close();
  }
}
