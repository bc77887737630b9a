import { z } from 'zod';
import { type DatabaseAddress, parseDatabaseUrl } from './database/database-address.js';
import type { LogLevel } from './kernel/logger.js';
import { Secret } from './kernel/secret.js';

/** Every setting, checked and frozen. `.env.example` tells what each one means. */
export interface Config {
  readonly isProduction: boolean;
  readonly host: string;
  readonly port: number;
  /** Where browsers reach this server, without a slash at the end. */
  readonly publicUrl: string;
  readonly logLevel: LogLevel;
  readonly database: DatabaseAddress;
  /** A folder on a local disk where settlements wait while the database is away. */
  readonly spoolFolder: string;
  /** How many proxies in front may be believed about the caller's address. */
  readonly trustProxyHops: number;
  readonly requestsPerMinute: number;
  readonly keysPerAccountMax: number;
  readonly signupMillicredits: number;
  /** Whether the embedded `demo` provider answers calls. */
  readonly isDemoProviderOn: boolean;
  /** Provider id -> the key and, where set, the address that the environment names for it. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly upstreamTimeouts: UpstreamTimeouts;
}

export interface ProviderSettings {
  readonly apiKey: Secret | null;
  readonly baseUrl: string | null;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two chunks of an answer. */
  readonly idleMs: number;
  /** For the whole call. */
  readonly totalMs: number;
}

/** All faults of the environment at once, so that an operator mends them in one go. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`The settings have ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const onOff = z.enum(['on', 'off']);

const environmentShape = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('0.0.0.0'),
  PORT: wholeNumber(0, 65_535).default(8080),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DATABASE_URL: z.string().default('sqlite:data/tollgate.db'),
  SPOOL_DIR: z.string().default('data/spool'),
  TRUST_PROXY: wholeNumber(0, 10).default(0),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
  MAX_KEYS_PER_ACCOUNT: wholeNumber(1, 1_000).default(1),
  SIGNUP_CREDITS: wholeNumber(0, 1_000_000).default(0),
  DEMO_PROVIDER: onOff.optional(),
  UPSTREAM_CONNECT_TIMEOUT_MS: wholeNumber(1, 600_000).default(5_000),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(600_000),
  UPSTREAM_IDLE_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(120_000),
  UPSTREAM_TOTAL_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(900_000),
});

// An empty setting, as in an unfilled line of `.env`, means the default.
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment.
 * @throws InvalidConfigError naming every fault.
 */
export function loadConfig(environment: Environment): Config {
  const filledIn = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '' && value != null));
  const parsed = environmentShape.safeParse(filledIn);
  if (!parsed.success) throw new InvalidConfigError(parsed.error.issues.map(describeIssue));
  const settings = parsed.data;
  const database = parseDatabaseUrl(settings.DATABASE_URL);
  const providers = readProviders(filledIn as Record<string, string>);
  const faults = [
    ...(database ? [] : ['DATABASE_URL must be sqlite:<file> or mysql://user:password@host:3306/name']),
    ...findAddressFaults(providers),
  ];
  if (database === null || faults.length > 0) throw new InvalidConfigError(faults);

  const isProduction = settings.NODE_ENV === 'production';
  return Object.freeze({
    isProduction,
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: (settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, ''),
    logLevel: settings.LOG_LEVEL,
    database,
    spoolFolder: settings.SPOOL_DIR,
    trustProxyHops: settings.TRUST_PROXY,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    keysPerAccountMax: settings.MAX_KEYS_PER_ACCOUNT,
    signupMillicredits: settings.SIGNUP_CREDITS * 1_000,
    isDemoProviderOn: settings.DEMO_PROVIDER === undefined ? !isProduction : settings.DEMO_PROVIDER === 'on',
    providers,
    upstreamTimeouts: Object.freeze({
      connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteMs: settings.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
      totalMs: settings.UPSTREAM_TOTAL_TIMEOUT_MS,
    }),
  });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}

// `<NAME>_API_KEY` turns a provider on, `<NAME>_BASE_URL` moves it; which names mean something, the catalogue knows.
function readProviders(environment: Readonly<Record<string, string>>): Record<string, ProviderSettings> {
  const providers: Record<string, ProviderSettings> = {};
  for (const name of Object.keys(environment)) {
    const match = /^([A-Z][A-Z0-9]*)_(API_KEY|BASE_URL)$/.exec(name);
    if (!match?.[1]) continue;
    const apiKey = environment[`${match[1]}_API_KEY`];
    providers[match[1].toLowerCase()] = Object.freeze({
      apiKey: apiKey === undefined ? null : new Secret(apiKey),
      baseUrl: environment[`${match[1]}_BASE_URL`]?.replace(/\/+$/, '') ?? null,
    });
  }
  return providers;
}

function findAddressFaults(providers: Readonly<Record<string, ProviderSettings>>): string[] {
  return Object.entries(providers)
    .filter(([, { baseUrl }]) => baseUrl !== null && !/^https?:\/\/[^@]+$/.test(baseUrl))
    .map(([name]) => `${name.toUpperCase()}_BASE_URL must be an http(s) address without user and password`);
}
