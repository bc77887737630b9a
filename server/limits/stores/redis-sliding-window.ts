import type { RedisConnection } from '../../redis/redis-connection.js';
import { readNumbers } from '../../redis/script-answer.js';
import { type RequestToEnter, type SlidingWindow, type WindowEntry, windowMs } from '../sliding-window.js';

// One step for Redis, measured by its own clock, so that instances whose clocks differ agree. Microseconds.
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1]) * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
-- Further ahead than a window: written before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + window + 1, '+inf')
local count = redis.call('ZCARD', KEYS[1])
local entered = 0
if count < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], now, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  entered = 1
  count = count + 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local leaves = 0
if oldest[2] then leaves = math.ceil(math.min(oldest[2] + window - now, window) / 1000) end
return { entered, count, leaves }
`;

/** The window that all instances share in Redis: a sorted set for each account, one script for each request. */
export class RedisSlidingWindow implements SlidingWindow {
  constructor(private readonly connection: Pick<RedisConnection, 'runScript'>) {}

  async enter({ accountId, requestId, limit }: RequestToEnter): Promise<WindowEntry> {
    const key = `tollgate:requests:${accountId}`;
    const answer = await this.connection.runScript(enterScript, key, windowMs, limit, requestId);
    const bounds = [
      [0, 1],
      [0, Number.MAX_SAFE_INTEGER],
      [0, windowMs],
    ] as const;
    const [entered, count = 0, oldestLeavesInMs = 0] = readNumbers(answer, bounds);
    return { isEntered: entered === 1, count, oldestLeavesInMs };
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }
}
