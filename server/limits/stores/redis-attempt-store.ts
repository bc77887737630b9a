import type { AttemptRule, AttemptStanding } from '../../kernel/attempt-counter.js';
import type { RedisConnection } from '../../redis/redis-connection.js';
import { type NumberBounds, readNumbers } from '../../redis/script-answer.js';
import type { AttemptStore } from '../shared-attempt-counter.js';

// A limit below zero is none. Redis keeps the moment at which a name is forgotten: one that lies further ahead than a window was
// set before the clock was set back.
const countScript = `
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local max = tonumber(ARGV[2])
if max >= 0 and count >= max then return { 0, count, redis.call('PTTL', KEYS[1]) } end
count = redis.call('INCR', KEYS[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { 1, count, redis.call('PTTL', KEYS[1]) }
`;

const forgiveScript = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
`;

/** Counts of attempts in Redis: a number for each, which Redis itself forgets when its window ends. */
export class RedisAttemptStore implements AttemptStore {
  constructor(private readonly connection: Pick<RedisConnection, 'runScript' | 'remove'>) {}

  async count(id: string, { max, windowMs }: Pick<AttemptRule, 'max' | 'windowMs'>): Promise<AttemptStanding> {
    const limit = Number.isFinite(max) ? max : -1;
    const answer = await this.connection.runScript(countScript, keyOf(id), windowMs, limit);
    // Less than 0 of a name that is forgotten in this moment.
    const endings: NumberBounds = [-2, windowMs];
    const [isCounted, count = 0, ttlMs = 0] = readNumbers(answer, [[0, 1], [0, Number.MAX_SAFE_INTEGER], endings]);
    const endsInMs = Math.max(1, ttlMs);
    return { waitMs: isCounted === 1 ? 0 : endsInMs, count, endsInMs };
  }

  async forgive(id: string): Promise<void> {
    await this.connection.runScript(forgiveScript, keyOf(id));
  }

  async forget(id: string): Promise<void> {
    await this.connection.remove(keyOf(id));
  }
}

function keyOf(id: string): string {
  return `tollgate:attempts:{${id}}`;
}
