import { z } from 'zod';
import { type DatabaseAddress, readDatabaseUrl } from '../database/database-address.js';
import { loopbackName } from '../kernel/addresses/loopback.js';
import { readRedisAddress } from '../kernel/addresses/redis-address.js';
import { holdLeaseMsMax } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import {
  addressWithout,
  findTextFault,
  hostToListenOn,
  isWebAddress,
  readTrustProxy,
  wholeNumber,
} from '../kernel/settings/setting-shapes.js';
import type { BreakerSettings } from '../providers/health/route-breaker.js';
import { defaultTollgateFile, type FileReader, loadTollgateFile } from '../providers/settings/load-tollgate-file.js';
import { findProviderFaults, listKeyNames, readProviderSettings } from '../providers/settings/provider-settings.js';
import type { TollgateFile } from '../providers/settings/tollgate-file.js';
import { type MailSettings, mailShape, readMailSettings } from './mail-settings.js';
import { bodyMemoryMbMin } from './memory-limits.js';
import {
  findMonitoringFaults,
  type MonitoringSettings,
  monitoringShape,
  readMonitoringSettings,
} from './monitoring-settings.js';
import { chooseRateLimitStore, findRateLimitFaults } from './rate-limit-settings.js';
import { readEnvironment } from './read-environment.js';
import { type ReadReplicaSettings, readReplicaSettings } from './read-replica-settings.js';
import { scannerShape } from './scanner-settings.js';
import {
  findSignInFaults,
  listOidcSecretNames,
  readSignInSettings,
  type SignInSettings,
  signInShape,
} from './sign-in-settings.js';
import { chooseGiftCredits } from './signup-gift-settings.js';
import { findStripeFaults, readStripeSettings, type StripeSettings, stripeShape } from './stripe-settings.js';
import {
  type HoldTimes,
  type LeftCallRules,
  readHoldTimes,
  readUpstreamTimeouts,
  type UpstreamTimeouts,
} from './time-settings.js';

/** Every setting, checked and frozen. `.env.example` tells what each one means. */
export interface Config extends MonitoringSettings, SignInSettings {
  readonly isProduction: boolean;
  /** An address, or a name; `localhost` is this machine by IPv4 and by IPv6. */
  readonly host: string;
  readonly port: number;
  /** How many processes share that port; more than one only on MySQL. */
  readonly workers: number;
  /** Where browsers reach this server, without a slash at the end. */
  readonly publicUrl: string;
  readonly database: DatabaseAddress;
  /** Where reports may be read from; null: the database itself. */
  readonly readReplica: ReadReplicaSettings | null;
  /** A folder on a local disk where settlements wait while the database is away. */
  readonly spoolFolder: string;
  readonly holdTimes: HoldTimes;
  /** Whether processes set credits aside for many calls at a time. */
  readonly creditLeases: boolean;
  /** Between the order to stop and the last call that is taken: `/readyz` answers 503 meanwhile. */
  readonly drainDelayMs: number;
  /** Who may be believed about the caller's address: so many proxies in front, or the ones in these networks. */
  readonly trustProxy: number | readonly string[];
  readonly requestsPerMinute: number;
  /** Of an account, and of each of its keys; null: no limit. */
  readonly tokensPerMinute: { readonly account: number | null; readonly key: number | null };
  /** How many calls of one account, and of each of its keys (null: as many), one process runs at once. */
  readonly concurrentCallsMax: number;
  readonly concurrentCallsOfKeyMax: number | null;
  /** How long items of answers of Responses are kept; 0: not at all. */
  readonly responseItemsMs: number;
  /** How many bytes of request bodies one process holds at once, over all callers; null: as many as its memory allows. */
  readonly bodyMemoryBytes: number | null;
  /** Where the requests of each account's last 60 seconds are counted. */
  readonly rateLimitStore: 'memory' | 'redis' | 'mysql';
  readonly redisUrl: Secret | null;
  readonly keysPerAccountMax: number;
  readonly signupMillicredits: number;
  /** How many new accounts of one network get that gift on one day, and of all networks in one hour. */
  readonly signupGifts: { readonly perNetworkMax: number; readonly perHourMax: number };
  /** How many accounts one network may make in an hour. */
  readonly signUpsPerHour: number;
  /** Whether the embedded `demo` provider answers calls. */
  readonly isDemoProviderOn: boolean;
  /** Provider id -> the key and, where set, the address that the environment names for it. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** The operator's own providers and models; null: only the built-in ones. */
  readonly tollgateFile: TollgateFile | null;
  /** How many calls this process runs at once against one provider's address. */
  readonly upstreamConnectionsMax: number;
  readonly upstreamTimeouts: UpstreamTimeouts;
  readonly leftCalls: LeftCallRules;
  readonly breaker: BreakerSettings;
  /** null: no real money is taken. */
  readonly stripe: StripeSettings | null;
  /** null: mails are logged instead. */
  readonly mail: MailSettings | null;
  /** Who is told of what somebody has to look at; null: the log alone is. */
  readonly operatorEmail: string | null;
  /** Where the keys are published by which reports of leaked keys are signed; null: no such reports are taken. */
  readonly scannerKeysUrl: string | null;
  /** Whether the operator said that credits which cost no money may be spent at providers which do. */
  readonly isSimulatedMoneyAllowed: boolean;
}

export interface ProviderSettings {
  readonly apiKey: Secret | null;
  readonly baseUrl: string | null;
  /** Whether it stops writing when its connection is closed; left out: as is known of it. */
  readonly stopsOnAbort?: boolean;
}

/** All faults of the environment at once, so that an operator mends them in one go. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Where the data and the waiting settlements lie unless a setting says otherwise. */
export const defaultDatabaseUrl = 'sqlite:data/tollgate.db';
export const defaultSpoolFolder = 'data/spool';

const onOff = z.enum(['on', 'off']);

const environmentShape = {
  NODE_ENV: z.enum(['production', 'development', 'test']).default('development'),
  HOST: hostToListenOn.optional(),
  PORT: wholeNumber(0, 65_535).default(8080),
  WORKERS: wholeNumber(1, 64).default(1),
  PUBLIC_URL: z
    .string()
    .refine(isWebAddress, 'must be an http(s) address without user, password and parameters')
    .optional(),
  ...monitoringShape,
  DATABASE_URL: secret(z.string().default(defaultDatabaseUrl)),
  DATABASE_READ_URL: secret(z.string().optional()),
  DATABASE_READ_LAG_SECONDS: wholeNumber(3, 3_600).default(10),
  SPOOL_DIR: z.string().default(defaultSpoolFolder),
  HOLD_LEASE_SECONDS: wholeNumber(1, holdLeaseMsMax / 1_000).default(60),
  // Grace and sweep together stay below the two minutes after which `ledger:verify` calls an open hold forgotten.
  HOLD_GRACE_SECONDS: wholeNumber(0, 60).default(30),
  HOLD_SWEEP_SECONDS: wholeNumber(1, 30).default(3),
  CREDIT_LEASES: onOff.default('on'),
  DRAIN_DELAY_SECONDS: wholeNumber(0, 300).default(0),
  TRUST_PROXY: z.string().default('0').transform(readTrustProxy),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
  REDIS_URL: secret(addressWithout((text) => readRedisAddress(text).faults).optional()),
  RATE_LIMIT_STORE: z.enum(['memory', 'redis', 'mysql']).optional(),
  CONCURRENT_CALLS: wholeNumber(1, 1_000_000).default(64),
  TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  KEY_TOKENS_PER_MINUTE: wholeNumber(1, 1_000_000_000).optional(),
  KEY_CONCURRENT_CALLS: wholeNumber(1, 1_000_000).optional(),
  RESPONSE_ITEMS_MINUTES: wholeNumber(0, 1_440).default(30),
  BODY_MEMORY_MB: wholeNumber(bodyMemoryMbMin, 65_536).optional(),
  MAX_KEYS_PER_ACCOUNT: wholeNumber(1, 1_000).default(1),
  ...signInShape,
  SIGNUP_CREDITS: wholeNumber(0, 1_000_000).optional(),
  SIGNUP_GIFTS_PER_NETWORK: wholeNumber(1, 1_000_000).default(3),
  SIGNUP_GIFTS_PER_HOUR: wholeNumber(1, 1_000_000).default(100),
  ...mailShape,
  SIGNUPS_PER_HOUR: wholeNumber(1, 1_000_000).default(10),
  DEMO_PROVIDER: onOff.optional(),
  ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: z.enum(['true', 'false']).default('false'),
  ...stripeShape,
  ...scannerShape,
  UPSTREAM_CONNECTIONS: wholeNumber(1, 100_000).default(1_024),
  UPSTREAM_CONNECT_TIMEOUT_MS: wholeNumber(1, 600_000).default(5_000),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(600_000),
  UPSTREAM_IDLE_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(120_000),
  UPSTREAM_TOTAL_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(900_000),
  LEFT_CALL_GRACE_SECONDS: wholeNumber(0, 60).default(5),
  ABANDONED_CALLS: z.enum(['stop', 'read_on']).default('stop'),
  TOLLGATE_CONFIG: z.string().default(defaultTollgateFile),
  BREAKER_FAILURES: wholeNumber(0, 1_000).default(5),
  BREAKER_OPEN_MS: wholeNumber(1, 300_000).default(10_000),
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings, and what is wrong with them. */
export interface ReadConfig {
  /** Of use where there are no faults: a setting that has one stands at its default. */
  readonly config: Config;
  /** Each is one line with its setting and, where the sentence does not say it anyway, the remedy. */
  readonly faults: readonly string[];
  /** Whether a sentence names no setting that is at fault already, so that what it says is true. */
  readonly isTrue: (sentence: string) => boolean;
}

/**
 * Reads the environment, and the file of providers and models that it names.
 * @throws InvalidConfigError naming every fault of both.
 */
export function loadConfig(environment: Environment, readFile?: FileReader): Config {
  const { config, faults } = readConfig(environment, readFile);
  if (faults.length > 0) throw new InvalidConfigError(faults);
  return config;
}

/** As `loadConfig`, for whoever looks for further faults before all of them are told. */
export function readConfig(environment: Environment, readFile?: FileReader): ReadConfig {
  const isFileNamed = findTextFault('TOLLGATE_CONFIG', environment.TOLLGATE_CONFIG ?? '') === null;
  const file = isFileNamed
    ? loadTollgateFile(environment.TOLLGATE_CONFIG || undefined, environment, readFile)
    : { file: null, faults: [] };
  const idsOfFile = file.file?.providers.map(({ id }) => id) ?? [];
  const otherSecrets = [...listKeyNames(idsOfFile), ...listOidcSecretNames(environment)];
  const read = readEnvironment(environmentShape, environment, otherSecrets);
  const { settings, known } = read;
  const { database, faults: databaseFaults } = readDatabaseUrl(settings.DATABASE_URL);
  const { readReplica, faults: replicaFaults } = readReplicaSettings(settings, database);
  const faultyNames = [...read.faultyNames, ...(database === null ? ['DATABASE_URL'] : [])];
  const isTrue = (sentence: string) => !faultyNames.some((name) => new RegExp(`\\b${name}\\b`).test(sentence));
  const faults = [
    ...read.valueFaults,
    ...file.faults,
    ...read.textFaults,
    ...findProviderFaults(known, idsOfFile),
    ...findSignInFaults(known).filter(isTrue),
    ...databaseFaults,
    ...replicaFaults.filter(isTrue),
    ...findFaultsTogether(settings, database).filter(isTrue),
  ].map(read.nameFile);
  const found = {
    readReplica,
    database: database ?? { kind: 'sqlite' as const, file: defaultDatabaseUrl },
    providers: readProviderSettings(known),
    tollgateFile: file.file,
    ...readSignInSettings(known),
  };
  return { config: toConfig(settings, found), faults, isTrue };
}

/** What is wrong with settings that are each well formed, each as one sentence. */
function findFaultsTogether(settings: Settings, database: DatabaseAddress | null): readonly string[] {
  return [
    ...(settings.WORKERS > 1 && database?.kind === 'sqlite'
      ? ['WORKERS above 1 needs MySQL: set DATABASE_URL=mysql://user:password@host:3306/name']
      : findRateLimitFaults(settings, database)),
    ...findMonitoringFaults(settings),
    ...findStripeFaults(settings),
    ...(settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined ? ['SMTP_URL needs MAIL_FROM'] : []),
  ];
}

/** What does not stand in one setting alone. */
type Read = Pick<Config, 'database' | 'readReplica' | 'providers' | 'tollgateFile' | keyof SignInSettings>;

function toConfig(settings: Settings, read: Read): Config {
  const isProduction = settings.NODE_ENV === 'production';
  return Object.freeze({
    isProduction,
    host: settings.HOST ?? (isProduction ? '0.0.0.0' : loopbackName),
    port: settings.PORT,
    workers: settings.WORKERS,
    publicUrl: (settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, ''),
    ...readMonitoringSettings(settings),
    ...read,
    spoolFolder: settings.SPOOL_DIR,
    holdTimes: readHoldTimes(settings),
    creditLeases: settings.CREDIT_LEASES === 'on',
    drainDelayMs: settings.DRAIN_DELAY_SECONDS * 1_000,
    trustProxy: settings.TRUST_PROXY,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    tokensPerMinute: { account: settings.TOKENS_PER_MINUTE ?? null, key: settings.KEY_TOKENS_PER_MINUTE ?? null },
    concurrentCallsMax: settings.CONCURRENT_CALLS,
    concurrentCallsOfKeyMax: settings.KEY_CONCURRENT_CALLS ?? null,
    responseItemsMs: settings.RESPONSE_ITEMS_MINUTES * 60_000,
    bodyMemoryBytes: settings.BODY_MEMORY_MB === undefined ? null : settings.BODY_MEMORY_MB * 1024 * 1024,
    rateLimitStore: chooseRateLimitStore(settings),
    redisUrl: settings.REDIS_URL === undefined ? null : new Secret(settings.REDIS_URL),
    keysPerAccountMax: settings.MAX_KEYS_PER_ACCOUNT,
    signupMillicredits: chooseGiftCredits(settings, read) * 1_000,
    signupGifts: { perNetworkMax: settings.SIGNUP_GIFTS_PER_NETWORK, perHourMax: settings.SIGNUP_GIFTS_PER_HOUR },
    signUpsPerHour: settings.SIGNUPS_PER_HOUR,
    isDemoProviderOn: settings.DEMO_PROVIDER === undefined ? !isProduction : settings.DEMO_PROVIDER === 'on',
    breaker: Object.freeze({ failuresMax: settings.BREAKER_FAILURES, openMs: settings.BREAKER_OPEN_MS }),
    upstreamConnectionsMax: settings.UPSTREAM_CONNECTIONS,
    upstreamTimeouts: readUpstreamTimeouts(settings),
    leftCalls: { graceMs: settings.LEFT_CALL_GRACE_SECONDS * 1_000, isReadOn: settings.ABANDONED_CALLS === 'read_on' },
    stripe: readStripeSettings(settings),
    mail: readMailSettings(settings.SMTP_URL, settings.MAIL_FROM),
    scannerKeysUrl: settings.SECRET_SCANNING_KEYS_URL ?? null,
    operatorEmail: settings.OPERATOR_EMAIL ?? null,
    isSimulatedMoneyAllowed: settings.ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS === 'true',
  });
}

type Settings = z.output<z.ZodObject<typeof environmentShape>>;
