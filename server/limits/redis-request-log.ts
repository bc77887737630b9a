import { Redis } from 'ioredis';
import type { Logger } from '../kernel/logger.js';
import type { Secret } from '../kernel/secret.js';
import { type LogEntry, type RequestLog, type RequestToEnter, windowMs } from './request-log.js';

// One step for Redis, measured by its own clock, so that instances whose clocks differ agree. Microseconds.
const enterScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1]) * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
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
if oldest[2] then leaves = math.ceil((oldest[2] + window - now) / 1000) end
return { entered, count, leaves }
`;

/** Longer than this nobody waits for Redis. */
const usualPatienceMs = 500;

/** The log that all instances share in Redis (5 or newer): a sorted set for each account, one script for each request. */
export class RedisRequestLog implements RequestLog {
  readonly #redis: Redis;
  #isAway = false;

  /** @param address `redis://…` or `rediss://…`; it may hold a password, so it is a secret. */
  constructor(
    address: Secret,
    private readonly logger: Logger,
    patienceMs = usualPatienceMs,
  ) {
    this.#redis = new Redis(address.reveal(), {
      commandTimeout: patienceMs,
      connectTimeout: 5_000,
      // While Redis is away a request is told so at once, instead of waiting in a queue.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    });
    this.#redis.on('error', (error: Error) => this.#noteAway(error));
    this.#redis.on('ready', () => this.#noteBack());
  }

  /** Resolves when Redis has answered for the first time, or did not within five seconds. */
  async connect(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 5_000);
      this.#redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async enter({ accountId, requestId, limit }: RequestToEnter): Promise<LogEntry> {
    const answer = await this.#redis.eval(enterScript, 1, `tollgate:requests:${accountId}`, windowMs, limit, requestId);
    const [entered, count, oldestLeavesInMs] = answer as [number, number, number];
    return { isEntered: entered === 1, count, oldestLeavesInMs };
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  // Once for each outage, not for each failed attempt.
  #noteAway(error: Error): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.logger.error('redis_went_away', { error });
  }

  #noteBack(): void {
    if (this.#isAway) this.logger.info('redis_came_back');
    this.#isAway = false;
  }
}
