import type { DatabaseAddress } from '../database/database-address.js';

type RateLimitStore = 'memory' | 'redis' | 'mysql';

/** As the environment has them, each well formed. */
interface RateLimitSettings {
  readonly RATE_LIMIT_STORE?: RateLimitStore | undefined;
  readonly REDIS_URL?: string | undefined;
  readonly WORKERS: number;
  readonly REQUESTS_PER_MINUTE: number;
}

/** Where requests are counted. Several processes count together; what they surely share is the database. */
export function chooseRateLimitStore({
  RATE_LIMIT_STORE: store,
  REDIS_URL: redisUrl,
  WORKERS: workers,
}: RateLimitSettings): RateLimitStore {
  if (store !== undefined) return store;
  if (redisUrl !== undefined) return 'redis';
  return workers > 1 ? 'mysql' : 'memory';
}

/** What is wrong with those settings together, each as one sentence. */
export function findRateLimitFaults(settings: RateLimitSettings, database: DatabaseAddress | null): readonly string[] {
  const { REDIS_URL: redisUrl, REQUESTS_PER_MINUTE: requestsPerMinute, WORKERS: workers } = settings;
  const store = chooseRateLimitStore(settings);
  if (store === 'redis' && redisUrl === undefined) return ['RATE_LIMIT_STORE=redis needs REDIS_URL'];
  if (store === 'memory' && workers > 1) return ['RATE_LIMIT_STORE must be mysql or redis where WORKERS is above 1'];
  if (store !== 'mysql') return [];
  const isMysql = database?.kind === 'mysql';
  return [
    ...(isMysql ? [] : ['RATE_LIMIT_STORE=mysql needs a DATABASE_URL of MySQL']),
    ...(requestsPerMinute <= 5_000 ? [] : ['RATE_LIMIT_STORE=mysql counts up to 5000 REQUESTS_PER_MINUTE']),
  ];
}
