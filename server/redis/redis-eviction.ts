import { Cluster } from 'ioredis';
import type { RedisClient } from './connect-redis.js';

/**
 * By which policy a Redis forgets keys when its memory is full. What is counted there is forgotten with them: whoever has used up a limit,
 * of guesses at a password too, begins at nothing.
 * @returns the policy, such as `volatile-lru`, of one of the servers that have one; null: none forgets, or none says, as where a managed
 *   Redis forbids `INFO`. Never throws.
 */
export async function findEvictionPolicy(redis: RedisClient): Promise<string | null> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    servers.map(async (server) => {
      try {
        return readEvictionPolicy(await server.info('memory'));
      } catch {
        return null;
      }
    }),
  );
  return policies.find((policy) => policy !== null) ?? null;
}

/** @param info What `INFO memory` says. */
function readEvictionPolicy(info: string): string | null {
  const find = (field: string) => new RegExp(`^${field}:(\\S+)`, 'm').exec(info)?.[1];
  const policy = find('maxmemory_policy') ?? 'noeviction';
  return Number(find('maxmemory') ?? 0) > 0 && policy !== 'noeviction' ? policy : null;
}
