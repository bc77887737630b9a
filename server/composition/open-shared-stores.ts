import type { Config } from '../config/config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { openKeptItems } from '../kept-items/kept-items.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Secret } from '../kernel/secret.js';
import { openKeyChanges } from '../keys/changes/open-key-changes.js';
import { openSharedLimits } from '../limits/open-shared-limits.js';
import { RedisChannel } from '../redis/redis-channel.js';

/** What instances share beside the database, and what they tell each other through it. */
export async function openSharedStores(
  { redisUrl, rateLimitStore, database, responseItemsMs }: Config,
  parts: { unitOfWork: UnitOfWork; logger: Logger; clock: Clock },
) {
  const redis = redisUrl === null ? null : await openRedis(redisUrl, parts.logger);
  const channel = redis && new RedisChannel(redis, 'tollgate:key-changes');
  const keyChanges = openKeyChanges({ ...parts, databaseKind: database.kind, channel });
  await keyChanges.start();
  const limits = openSharedLimits({ ...parts, store: rateLimitStore, redis, databaseKind: database.kind });
  return { redis, limits, keyChanges, keptItems: openKeptItems(responseItemsMs, { ...parts, redis }) };
}

// Only then is the library of Redis loaded, which other servers do without.
async function openRedis(url: Secret, logger: Logger) {
  const { RedisConnection } = await import('../redis/redis-connection.js');
  const redis = new RedisConnection(url, logger);
  await redis.connect();
  return redis;
}
