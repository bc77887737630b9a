import type { Logger } from '../kernel/logger.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { Secret } from '../kernel/secret.js';
import {
  connectRedis,
  describeRedisTls,
  duplicateRedis,
  type RedisClient,
  reconnectOnEnd,
  reconnectRedis,
} from './connect-redis.js';
import { isReadOnlyReply } from './redis-away.js';
import { findEvictionPolicy } from './redis-eviction.js';
import { RedisCommandMetrics } from './redis-metrics.js';

/** Longer than this nobody waits for Redis. */
const usualTimeoutMs = 500;
/** A connection on which nothing was answered for so long, though it was asked, is given up. */
const silenceMsMax = 2_000;
/** A server that takes no writes is left so often for whoever is the master by then. */
const readOnlyPauseMs = 2_000;
/** One that stays away is told of so often. */
const nodeErrorsPauseMs = 60_000;

/** The one connection to Redis (5 or newer) that limits and news of a process share. It comes back by itself. */
export class RedisConnection {
  readonly redis: RedisClient;
  readonly #commands = new RedisCommandMetrics();
  #isAway = false;
  /** The policy that the log has been told of. */
  #evictionPolicyTold: string | null = null;
  #isClosed = false;
  #nodeErrorsAgainMs = 0;
  #silentSinceMs: number | null = null;
  /** When it refused a write last; null: it takes them, as far as is known. */
  #readOnlyAtMs: number | null = null;
  #leftAtMs = Number.NEGATIVE_INFINITY;

  /** @param address a `REDIS_URL` of any kind; it may hold a password, so it is a secret. */
  constructor(
    address: Secret,
    private readonly logger: Logger,
    timeoutMs = usualTimeoutMs,
  ) {
    this.redis = connectRedis(address, timeoutMs);
    this.redis.on('error', (error: Error) => this.#noteAway(error));
    this.redis.on('close', () => this.#noteAway(new Error('The connection was closed.')));
    this.redis.on('ready', () => this.#noteReady());
    reconnectOnEnd(this.redis, () => !this.#isClosed);
    // Of a Cluster, where the others go on.
    this.redis.on('node error', (error: Error, node: string) => this.#noteNodeError(error, node));
  }

  /** Whether it can be asked now. */
  get isReady(): boolean {
    return this.redis.status === 'ready';
  }

  /** Resolves when Redis has answered for the first time, or did not within five seconds. */
  async connect(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 5_000);
      this.redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Runs a script of one key. @throws when Redis is away, or says nothing within the time limit. */
  async runScript(script: string, key: string, ...words: readonly (string | number)[]): Promise<unknown> {
    return this.#listen(this.redis.eval(script, 1, key, ...words));
  }

  /** Removes a key. @throws as `runScript`. */
  async remove(key: string): Promise<void> {
    await this.#listen(this.redis.del(key));
  }

  /**
   * Another connection to the same Redis, for what is heard there; whoever asks for it disconnects it.
   * @param isWanted Whether it is still needed.
   */
  duplicate(isWanted: () => boolean): RedisClient {
    const other = duplicateRedis(this.redis, { autoResubscribe: false });
    reconnectOnEnd(other, isWanted);
    return other;
  }

  /** The policy by which it forgets keys when its memory is full; null: it keeps them all, or does not say. */
  findEvictionPolicy(): Promise<string | null> {
    return findEvictionPolicy(this.redis);
  }

  /** Whether it answers, and how its commands went. */
  listMetrics(): Metric[] {
    return this.#commands.list(this.isReady && this.#readOnlyAtMs === null);
  }

  close(): void {
    this.#isClosed = true;
    this.redis.disconnect();
  }

  // A server that hangs keeps its connections open, and its successor is another one.
  async #listen<Answer>(answering: Promise<Answer>): Promise<Answer> {
    try {
      const answer = await this.#commands.watch(answering);
      this.#silentSinceMs = null;
      this.#noteAnswered();
      return answer;
    } catch (error) {
      if (error instanceof Error && error.message === 'Command timed out') this.#noteSilence();
      if (isReadOnlyReply(error)) this.#noteReadOnly(error);
      throw error;
    }
  }

  #noteSilence(): void {
    const nowMs = performance.now();
    this.#silentSinceMs ??= nowMs;
    if (nowMs - this.#silentSinceMs < silenceMsMax) return;
    this.#silentSinceMs = null;
    reconnectRedis(this.redis);
  }

  // A master that has become a replica takes no more writes: who the master is has to be asked anew. One that stays a replica would be
  // left and found again with each command.
  #noteReadOnly(error: Error): void {
    this.#noteAway(error);
    const nowMs = performance.now();
    this.#readOnlyAtMs = nowMs;
    if (nowMs - this.#leftAtMs < readOnlyPauseMs) return;
    this.#leftAtMs = nowMs;
    reconnectRedis(this.redis);
  }

  // A replica answers what turns out to write nothing; what it refuses comes more often.
  #noteAnswered(): void {
    if (this.#readOnlyAtMs === null || performance.now() - this.#readOnlyAtMs < readOnlyPauseMs) return;
    this.#readOnlyAtMs = null;
    this.#noteBack();
  }

  // Once for each outage, not for each failed attempt.
  #noteAway(error: Error): void {
    if (this.#isAway || this.#isClosed) return;
    this.#isAway = true;
    this.logger.error('redis_went_away', { reason: error.message });
  }

  // That a server can be reached says nothing of whether it takes writes.
  #noteReady(): void {
    this.#commands.noteConnected();
    void this.#lookForEviction();
    if (this.#readOnlyAtMs === null) this.#noteBack();
  }

  // Asked at each connect, since it may be another server; said again only where it is another policy.
  async #lookForEviction(): Promise<void> {
    const policy = await this.findEvictionPolicy();
    if (policy !== null && policy !== this.#evictionPolicyTold) this.logger.warn('redis_may_evict', { policy });
    this.#evictionPolicyTold = policy;
  }

  #noteBack(): void {
    this.logger.info(this.#isAway ? 'redis_came_back' : 'redis_connected', { tls: describeRedisTls(this.redis) });
    this.#isAway = false;
  }

  #noteNodeError(error: Error, node: string): void {
    const nowMs = performance.now();
    if (nowMs < this.#nodeErrorsAgainMs) return;
    this.#nodeErrorsAgainMs = nowMs + nodeErrorsPauseMs;
    this.logger.error('redis_node_failed', { node, reason: error.message });
  }
}
