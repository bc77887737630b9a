import dns from 'node:dns';
import type { TLSSocket } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type RedisAddress, readRedisAddress } from '../kernel/addresses/redis-address.js';
import type { Secret } from '../kernel/secret.js';
import { isReadOnlyReply } from './redis-away.js';

/** One server, the master that Sentinels name, or all masters of a Cluster: to whoever sends commands they are the same. */
export type RedisClient = Redis | Cluster;

const connectTimeoutMs = 5_000;
/** How soon a Cluster's new masters are known at the latest. */
const slotsRefreshInterval = 2_000;
const pauseMs = (attempt: number) => Math.min(attempt * 100, 2_000);

/**
 * Connects, and goes on doing so for as long as it takes. A command is never queued: while Redis is away whoever sends one is told
 * so at once, and after `timeoutMs` where it hangs. Whoever closes it calls `disconnect`.
 * @throws RangeError for an address that the settings would have refused.
 */
export function connectRedis(url: Secret, timeoutMs: number): RedisClient {
  const { address, faults } = readRedisAddress(url.reveal());
  if (address === null) throw new RangeError(`The address of Redis ${faults.join('; ')}.`);
  const common: RedisOptions = {
    ...address.login,
    ...toTlsOptions(address),
    family: address.ipVersion,
    commandTimeout: timeoutMs,
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
  };
  if (address.kind === 'cluster') return connectCluster(address, common);
  const alone: RedisOptions = { ...common, enableOfflineQueue: false, retryStrategy: pauseMs, db: address.database };
  if (address.kind === 'single') return new Redis({ ...alone, ...address.hosts[0] });
  return new Redis({ ...alone, ...toSentinelOptions(address) });
}

function connectCluster({ hosts }: RedisAddress, redisOptions: RedisOptions): Cluster {
  return new Cluster([...hosts], {
    // A master that has become a replica takes no more writes; elsewhere `RedisConnection` sees to that.
    redisOptions: { ...redisOptions, reconnectOnError: isReadOnlyReply },
    enableOfflineQueue: false,
    clusterRetryStrategy: pauseMs,
    // While a node is away nobody waits for its successor: a few tries, and whoever asks is told so.
    maxRedirections: 3,
    retryDelayOnFailover: 20,
    retryDelayOnClusterDown: 20,
    // A certificate is made out to the name: it must not be exchanged for an address before it is compared. Else names are looked up as
    // everywhere; the library would keep the `dns.lookup` of before the server began.
    dnsLookup: (name, found) => (redisOptions.tls === undefined ? dns.lookup(name, found) : found(null, name)),
    slotsRefreshInterval,
  });
}

function toSentinelOptions({ hosts, masterName, sentinelLogin, tls }: RedisAddress): RedisOptions {
  const { username, password } = sentinelLogin;
  return {
    sentinels: [...hosts],
    name: String(masterName),
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    sentinelCommandTimeout: connectTimeoutMs,
    sentinelRetryStrategy: pauseMs,
    sentinelReconnectStrategy: pauseMs,
    // Told of a new master, it leaves an old one that hangs or does not know yet.
    failoverDetector: true,
    enableTLSForSentinelMode: tls !== null,
    ...toTlsOptions({ tls }, 'sentinelTLS'),
  };
}

function toTlsOptions({ tls }: Pick<RedisAddress, 'tls'>, name: 'tls' | 'sentinelTLS' = 'tls'): RedisOptions {
  if (tls === null) return {};
  const { verifyIdentity, ...options } = tls;
  return { [name]: { ...options, ...(verifyIdentity ? {} : { checkServerIdentity: () => undefined }) } };
}

/** Gives up a connection on which nothing is answered, and makes a new one; behind Sentinels to whom they then name. */
export function reconnectRedis(redis: RedisClient): void {
  // A Cluster has a connection for each node, and finds out for itself which one is away.
  if (redis instanceof Redis) redis.disconnect(true);
}

/** The version of TLS that a connection came to; null: it is not encrypted. */
export function describeRedisTls(redis: RedisClient): string | null {
  // A node of a Cluster that nobody has asked yet has no connection.
  const connections = redis instanceof Cluster ? redis.nodes() : [redis];
  const protocols = connections.map(({ stream }) => (stream as Partial<TLSSocket> | undefined)?.getProtocol?.());
  return protocols.find((protocol) => protocol != null) ?? null;
}

/** After the library has given a connection up, it is tried again so much later. */
const endPauseMs = 1_000;

/**
 * Connects again where the library gave up: told of a new master while it asks the Sentinels for one, it ends for ever.
 * @param isWanted Whether anybody still needs the connection.
 */
export function reconnectOnEnd(redis: RedisClient, isWanted: () => boolean): void {
  redis.on('end', () => {
    setTimeout(() => {
      // What goes wrong is told by its events, as at every other attempt.
      if (isWanted() && redis.status === 'end') redis.connect().catch(() => {});
    }, endPauseMs).unref();
  });
}

/** Makes another connection to the same Redis. */
export function duplicateRedis(redis: RedisClient, options: Pick<RedisOptions, 'autoResubscribe'>): RedisClient {
  return redis instanceof Cluster ? redis.duplicate([], { redisOptions: options }) : redis.duplicate(options);
}
