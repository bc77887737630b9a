import { isLoopbackHost } from '../kernel/addresses/loopback.js';
import type { Logger } from '../kernel/logger.js';
import type { ProviderOverlay } from '../providers/settings/provider-overlay.js';
import { listProvidersOn } from '../providers/settings/providers-on.js';
import type { Config } from './config.js';
import { listMemoryShortages, type MemoryLimits, readMemoryLimits } from './memory-limits.js';
import { listOpenToOthers } from './open-to-others.js';

/** Something that strangers could make use of, in words for the operator. */
export interface StrangerRisk {
  /** Stays the same from version to version. */
  readonly code: StrangerRiskCode;
  readonly text: string;
  readonly remedy: string;
}

export type StrangerRiskCode =
  | 'simulated_money_for_real_providers'
  | 'gift_credits_for_real_providers'
  | 'not_production'
  | 'demo_provider'
  | 'public_url_without_tls'
  | 'public_url_is_local'
  | 'proxy_not_named'
  | 'provider_without_tls'
  | 'no_mail'
  | 'no_operator_email'
  | 'stripe_without_webhook';

/** What decides whether credits that cost nothing buy tokens that cost the operator money. */
export interface SimulatedMoney {
  /** The settings that turn it on, each with its value in words. */
  readonly source: string;
  readonly realProviders: readonly string[];
}

/**
 * Whether others than this machine can reach the server, as far as the settings tell. A public address, and a proxy in front,
 * lead to it even where it listens on loopback alone.
 */
export function isReachableByOthers({ host, publicUrl, trustProxy }: Config): boolean {
  const hasProxy = typeof trustProxy === 'number' ? trustProxy > 0 : trustProxy.length > 0;
  return !isLoopbackHost(host) || !isLoopbackHost(new URL(publicUrl).hostname) || hasProxy;
}

/** The settings, and what operators have set of providers in the database. */
type ConfigAsItRuns = Config & { readonly overlay?: ProviderOverlay };

/** The providers that are on and may cost money: those with a key, and those on another machine. */
function listRealProviders(config: ConfigAsItRuns): string[] {
  return listProvidersOn(config)
    .filter(({ apiKey, baseUrl }) => apiKey !== null || !isLoopbackHost(hostOf(baseUrl)))
    .map(({ id }) => id);
}

/** The purchase that takes no real money, where it buys what costs real money; null: there is no such thing. */
function findSimulatedMoney(config: ConfigAsItRuns): SimulatedMoney | null {
  const { stripe, isProduction } = config;
  const isTestKey = stripe !== null && /^[rs]k_test_/.test(stripe.secretKey.reveal());
  const isSimulated = stripe === null && !isProduction;
  const realProviders = isTestKey || isSimulated ? listRealProviders(config) : [];
  if (realProviders.length === 0) return null;
  const source = isTestKey
    ? 'STRIPE_SECRET_KEY is a test key, which takes no real money'
    : 'STRIPE_SECRET_KEY is empty, so that the checkout is simulated';
  return { source, realProviders };
}

/** Why this server must not serve, in one sentence with the remedy; null: it may. */
export function findMoneyFault(config: ConfigAsItRuns): string | null {
  const money = findSimulatedMoney(config);
  if (money === null || config.isSimulatedMoneyAllowed || !isReachableByOthers(config)) return null;
  return (
    `${money.source}, ${whyReachable(config)}, and ${nameProviders(money.realProviders)} cost real money: strangers would spend it. ` +
    'Listen on loopback alone (HOST=localhost, without PUBLIC_URL and TRUST_PROXY), or set a live STRIPE_SECRET_KEY, ' +
    'or NODE_ENV=production without a test key, or ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS=true if you know who can reach it'
  );
}

/** What is said at the start of a server that only this machine reaches; null: nothing. */
export function describeLocalMoney(config: Config): string | null {
  const money = findSimulatedMoney(config);
  if (money === null || isReachableByOthers(config)) return null;
  return `${money.source}: credits that cost nothing buy real answers of ${nameProviders(money.realProviders)}, which you pay for.`;
}

/**
 * Everything in the settings, and in what operators have set of providers, that strangers could make use of. Empty where only this machine reaches the server. Which of
 * it matters is for the operator to say: a server for colleagues needs less than one for the internet.
 */
export function listUnsafeForStrangers(config: ConfigAsItRuns): readonly StrangerRisk[] {
  if (!isReachableByOthers(config)) return [];
  return [...listMoneyRisks(config), ...listAddressRisks(config), ...listRisksOfTelling(config)];
}

/**
 * Logs, one line each, what strangers could make use of; on loopback, that simulated money is spent for real; where there is
 * less memory than the settings allow to be used; and what other users of the machine can read.
 */
export function tellOperatorAtStart(
  config: Config,
  logger: Pick<Logger, 'warn'>,
  limits: MemoryLimits = readMemoryLimits(),
): void {
  for (const { code, text, remedy } of listUnsafeForStrangers(config)) {
    logger.warn('unsafe_for_strangers', { code, text, remedy });
  }
  const localMoney = describeLocalMoney(config);
  if (localMoney !== null) logger.warn('simulated_money_buys_real_answers', { text: localMoney });
  for (const { event, fields } of listMemoryShortages(config, limits)) logger.warn(event, fields);
  for (const place of listOpenToOthers(config)) logger.warn('open_to_others', { ...place });
}

function listMoneyRisks(config: ConfigAsItRuns): StrangerRisk[] {
  const money = findSimulatedMoney(config);
  const realProviders = listRealProviders(config);
  const { signupMillicredits, signupGifts, isProduction, isDemoProviderOn } = config;
  return [
    ...when(money !== null, {
      code: 'simulated_money_for_real_providers',
      text: `${money?.source}: whoever reaches this server spends your money at ${nameProviders(realProviders)}.`,
      remedy: 'Set a live STRIPE_SECRET_KEY, or keep out everybody whom you do not know.',
    }),
    ...when(signupMillicredits > 0 && realProviders.length > 0, {
      code: 'gift_credits_for_real_providers',
      text: `Each new account gets ${signupMillicredits / 1_000} credits for ${nameProviders(realProviders)}, up to ${signupGifts.perHourMax} accounts in an hour.`,
      remedy: 'Lower SIGNUP_CREDITS, SIGNUP_GIFTS_PER_NETWORK or SIGNUP_GIFTS_PER_HOUR to what you would give away.',
    }),
    ...when(!isProduction, {
      code: 'not_production',
      text: 'This server runs with features that are for trying out only.',
      remedy: 'Set NODE_ENV=production.',
    }),
    ...when(isProduction && isDemoProviderOn, {
      code: 'demo_provider',
      text: 'The demo provider answers, and its answers are sold like others.',
      remedy: 'Remove DEMO_PROVIDER=on.',
    }),
  ];
}

function listAddressRisks(config: Config): StrangerRisk[] {
  const { protocol, hostname } = new URL(config.publicUrl);
  const isLocal = isLoopbackHost(hostname);
  const openProviders = listProvidersOn(config).filter(
    ({ apiKey, baseUrl }) => apiKey !== null && baseUrl.startsWith('http:') && !isLoopbackHost(hostOf(baseUrl)),
  );
  return [
    ...when(isLocal, {
      code: 'public_url_is_local',
      text: `Links, redirects and session cookies are made for ${config.publicUrl}, which others cannot reach.`,
      remedy: 'Set PUBLIC_URL to the address that browsers use.',
    }),
    ...when(!isLocal && protocol === 'http:', {
      code: 'public_url_without_tls',
      text: 'Passwords, sessions and keys cross the network in plain text.',
      remedy: 'Put a proxy with TLS in front, and set PUBLIC_URL to its https:// address.',
    }),
    ...when(protocol === 'https:' && config.trustProxy === 0, {
      code: 'proxy_not_named',
      text: 'TLS ends at a proxy, but no proxy is trusted: all callers seem to come from one address and share its limits.',
      remedy: 'Set TRUST_PROXY to the number of proxies in front, or to their addresses.',
    }),
    ...when(openProviders.length > 0, {
      code: 'provider_without_tls',
      text: `Prompts and the keys of ${nameProviders(openProviders.map(({ id }) => id))} cross the network in plain text.`,
      remedy: 'Name the https:// address of the provider.',
    }),
  ];
}

function listRisksOfTelling({ mail, operatorEmail, stripe, isProduction }: Config): StrangerRisk[] {
  return [
    ...when(mail === null, {
      code: 'no_mail',
      text: 'No mail is sent: alerts are only logged, and no address can be verified.',
      remedy: 'Set SMTP_URL and MAIL_FROM.',
    }),
    ...when(operatorEmail === null && isProduction, {
      code: 'no_operator_email',
      text: 'Payments and providers that need attention are only logged.',
      remedy: 'Set OPERATOR_EMAIL.',
    }),
    ...when(stripe !== null && stripe.webhookSecrets.length === 0, {
      code: 'stripe_without_webhook',
      text: 'Refunds and disputes are found once an hour only; until then their credits can be spent.',
      remedy: 'Create a webhook at Stripe, and set STRIPE_WEBHOOK_SECRET.',
    }),
  ];
}

function when(isSo: boolean, risk: StrangerRisk): StrangerRisk[] {
  return isSo ? [risk] : [];
}

function whyReachable({ host, publicUrl, trustProxy }: Config): string {
  if (!isLoopbackHost(host)) return `HOST=${host} lets others in`;
  if (!isLoopbackHost(new URL(publicUrl).hostname)) return `PUBLIC_URL=${publicUrl} leads others here`;
  return `TRUST_PROXY=${trustProxy} says that a proxy leads others here`;
}

function nameProviders(ids: readonly string[]): string {
  return ids.length <= 3 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}
