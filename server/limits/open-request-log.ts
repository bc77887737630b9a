import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Logger } from '../kernel/logger.js';
import type { Secret } from '../kernel/secret.js';
import { DatabaseRequestLog } from './database-request-log.js';
import { FallbackRequestLog } from './fallback-request-log.js';
import { RedisRequestLog } from './redis-request-log.js';
import { MemoryRequestLog, type RequestLog } from './request-log.js';

export interface RequestLogOptions {
  readonly store: 'memory' | 'redis' | 'mysql';
  /** Set where the store is Redis. */
  readonly redisUrl: Secret | null;
  readonly unitOfWork: UnitOfWork;
  readonly logger: Logger;
}

/** Opens the log that the settings name. While Redis is away, each process counts by itself. */
export async function openRequestLog({ store, redisUrl, unitOfWork, logger }: RequestLogOptions): Promise<RequestLog> {
  if (store === 'mysql') return new DatabaseRequestLog(unitOfWork);
  if (store === 'memory' || redisUrl === null) return new MemoryRequestLog();
  const redis = new RedisRequestLog(redisUrl, logger);
  await redis.connect();
  return new FallbackRequestLog(redis, new MemoryRequestLog());
}
