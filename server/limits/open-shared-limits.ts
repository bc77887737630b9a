import type { UnitOfWork } from '../database/unit-of-work.js';
import { type OpenAttemptCounter, openMemoryCounter } from '../kernel/attempt-counter.js';
import type { Logger } from '../kernel/logger.js';
import { isRedisAway } from '../redis/redis-away.js';
import type { RedisConnection } from '../redis/redis-connection.js';
import { SharedAttemptCounter } from './shared-attempt-counter.js';
import { MemorySlidingWindow, type SlidingWindow } from './sliding-window.js';
import { DatabaseAttemptStore } from './stores/database-attempt-store.js';
import { DatabaseSlidingWindow } from './stores/database-sliding-window.js';
import { DatabaseTokenLog } from './stores/database-token-log.js';
import { FallbackSlidingWindow } from './stores/fallback-sliding-window.js';
import { RedisAttemptStore } from './stores/redis-attempt-store.js';
import { RedisSlidingWindow } from './stores/redis-sliding-window.js';
import { FallbackTokenLog, RedisTokenLog } from './stores/redis-token-log.js';
import { SharedStoreWatch } from './stores/shared-store-watch.js';
import { MemoryTokenLog, type TokenLog } from './token-log.js';

export interface SharedLimitsOptions {
  /** Where the requests of a minute are counted. */
  readonly store: 'memory' | 'redis' | 'mysql';
  /** null: there is no Redis. */
  readonly redis: RedisConnection | null;
  readonly databaseKind: 'sqlite' | 'mysql';
  readonly unitOfWork: UnitOfWork;
  readonly logger: Logger;
}

/** What all processes count together. */
export interface SharedLimits {
  readonly slidingWindow: SlidingWindow;
  /** Where requests are counted. */
  readonly tokenLog: TokenLog;
  /**
   * Opens counters of attempts: in Redis where there is one, else in a database that several processes may use, else in this
   * process. While the store is away, each process counts by itself.
   */
  readonly openCounter: OpenAttemptCounter;
  close(): Promise<void>;
}

/** Opens the stores that the settings name. */
export function openSharedLimits(options: SharedLimitsOptions): SharedLimits {
  const { redis, databaseKind, unitOfWork, logger } = options;
  // One for all that Redis keeps: who finds out that it hangs does so for everybody.
  const redisWatch = new SharedStoreWatch({
    isAway: isRedisAway,
    tell: (error) => logger.error('redis_refused', { error }),
  });
  const slidingWindow = openSlidingWindow(options, redisWatch);
  const tokenLog = openTokenLog(options, redisWatch);
  const closeLogs = async () => {
    await slidingWindow.close();
    await tokenLog.close();
  };
  if (redis !== null) {
    const store = new RedisAttemptStore(redis);
    const openCounter: OpenAttemptCounter = (rule) => new SharedAttemptCounter(rule, store, redisWatch);
    return { slidingWindow, tokenLog, openCounter, close: closeLogs };
  }
  if (databaseKind === 'sqlite') return { slidingWindow, tokenLog, openCounter: openMemoryCounter, close: closeLogs };
  const store = new DatabaseAttemptStore(unitOfWork, logger);
  store.start();
  const watch = new SharedStoreWatch();
  const close = async () => {
    await store.close();
    await closeLogs();
  };
  return { slidingWindow, tokenLog, openCounter: (rule) => new SharedAttemptCounter(rule, store, watch), close };
}

function openSlidingWindow(
  { store, redis, unitOfWork }: SharedLimitsOptions,
  redisWatch: SharedStoreWatch,
): SlidingWindow {
  if (store === 'mysql') return new DatabaseSlidingWindow(unitOfWork);
  if (store === 'memory' || redis === null) return new MemorySlidingWindow();
  return new FallbackSlidingWindow(new RedisSlidingWindow(redis), new MemorySlidingWindow(), redisWatch);
}

function openTokenLog({ store, redis, unitOfWork }: SharedLimitsOptions, redisWatch: SharedStoreWatch): TokenLog {
  if (store === 'mysql') return new DatabaseTokenLog(unitOfWork);
  if (store !== 'redis' || redis === null) return new MemoryTokenLog();
  return new FallbackTokenLog(new RedisTokenLog(redis), new MemoryTokenLog(), redisWatch);
}
