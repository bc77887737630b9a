import { formatNetwork, parseNetwork } from '../kernel/addresses/network-address.js';
import { type KeyPermissions, type KeyScope, keyScopes } from '../kernel/api-key.js';
import { InvalidInputError } from '../kernel/app-error.js';
import { requireNamedAmount } from '../kernel/millicredits.js';
import type { SpendPeriod } from '../kernel/spend-period.js';
import { isPrintableWithin } from '../kernel/texts/printable-text.js';
import { defaultScopes } from './key-permissions.js';

/** What its owner wants of a key. Left out: as it is, or for a new key the default; null: the default, which lifts a limit. */
export interface KeySettings {
  readonly scopes?: readonly KeyScope[] | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly providers?: readonly string[] | null | undefined;
  readonly addresses?: readonly string[] | null | undefined;
  readonly spendLimitMillicredits?: number | null | undefined;
  readonly spendPeriod?: SpendPeriod | null | undefined;
  readonly requestsPerMinute?: number | null | undefined;
  readonly tokensPerMinute?: number | null | undefined;
  readonly expiresAtMs?: number | null | undefined;
}

/** What an operator has set for an account in place of the rules; null: nothing. */
export interface OwnKeyRules {
  readonly keysMax: number | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** Of an account that nothing was set for. */
export const noOwnKeyRules: OwnKeyRules = { keysMax: null, requestsPerMinute: null, tokensPerMinute: null };

/** What keys can be allowed here. */
export interface KeyRules {
  readonly keysPerAccountMax: number;
  /** Of the account; a key's own rate is at most that. */
  readonly requestsPerMinute: number;
  /** The same in tokens; null: the account has no such limit. */
  readonly tokensPerMinute: number | null;
  hasModel(name: string): boolean;
  hasProvider(id: string): boolean;
  /** What single accounts have in place of that. */
  findOwn(accountId: string): OwnKeyRules | Promise<OwnKeyRules>;
}

const keyNameLengthMax = 100;
const listLengthMax = 100;
const tokensPerMinuteMax = 1_000_000_000;

/** The permissions of a key before anyone limits them. */
export const usualPermissions: KeyPermissions = {
  scopes: defaultScopes,
  models: null,
  providers: null,
  addresses: null,
  spendLimitMillicredits: null,
  spendPeriod: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  expiresAtMs: null,
};

/**
 * Puts what is wanted over what is.
 * @throws InvalidInputError naming the field by its public name.
 */
export function applySettings(
  before: KeyPermissions,
  settings: KeySettings,
  { rules, nowMs }: { rules: KeyRules; nowMs: number },
): KeyPermissions {
  const listed = (field: 'models' | 'providers', isKnown: (name: string) => boolean) =>
    settings[field] === undefined
      ? before[field]
      : checkNames(field, settings[field], (name) => isKnown(name) || (before[field]?.includes(name) ?? false));
  return {
    scopes: settings.scopes === undefined ? before.scopes : checkScopes(settings.scopes ?? defaultScopes),
    models: listed('models', (name) => rules.hasModel(name)),
    providers: listed('providers', (id) => rules.hasProvider(id)),
    addresses: settings.addresses === undefined ? before.addresses : checkAddresses(settings.addresses),
    ...applyLimit(before, settings),
    requestsPerMinute: applyRate(before, settings, { field: 'requestsPerMinute', max: rules.requestsPerMinute }),
    tokensPerMinute: applyRate(before, settings, {
      field: 'tokensPerMinute',
      max: rules.tokensPerMinute ?? tokensPerMinuteMax,
    }),
    expiresAtMs: settings.expiresAtMs === undefined ? before.expiresAtMs : checkExpiry(settings.expiresAtMs, nowMs),
  };
}

/** @throws InvalidInputError for an empty or overlong name. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  if (!isPrintableWithin(trimmed, 1, keyNameLengthMax)) {
    throw new InvalidInputError(
      'name',
      `A key's name has 1 to ${keyNameLengthMax} printable characters, at least one of them visible.`,
    );
  }
  return trimmed;
}

function checkScopes(scopes: readonly KeyScope[]): readonly KeyScope[] {
  const wanted = keyScopes.filter((scope) => scopes.includes(scope));
  if (wanted.length > 0) return wanted;
  throw new InvalidInputError('scopes', 'A key needs at least one scope. To end it, revoke it.');
}

function checkNames(
  field: 'models' | 'providers',
  names: readonly string[] | null,
  isKnown: (name: string) => boolean,
): readonly string[] | null {
  if (names === null) return null;
  checkLength(field, names);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return [...new Set(names)];
  throw new InvalidInputError(
    field,
    `There is no \`${unknown.slice(0, 100)}\` here. The query \`${field}\` lists them.`,
  );
}

function checkAddresses(texts: readonly string[] | null): readonly string[] | null {
  if (texts === null) return null;
  checkLength('addresses', texts);
  const networks = texts.map((text) => {
    const network = parseNetwork(text.trim());
    if (network) return formatNetwork(network);
    const words = `\`${text.slice(0, 60)}\` is no address. Send addresses and networks such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.`;
    throw new InvalidInputError('addresses', words);
  });
  return [...new Set(networks)];
}

function checkLength(field: string, list: readonly string[]): void {
  if (list.length >= 1 && list.length <= listLengthMax) return;
  throw new InvalidInputError(field, `List 1 to ${listLengthMax} of them, or send null for all.`);
}

// A limit and its period go together: lifting the limit lifts both.
function applyLimit(before: KeyPermissions, settings: KeySettings) {
  const pick = <Value>(wanted: Value | undefined, was: Value) => (wanted === undefined ? was : wanted);
  const limit = pick(settings.spendLimitMillicredits, before.spendLimitMillicredits);
  if (limit === null) {
    if (settings.spendPeriod) throw new InvalidInputError('spendLimit', 'A period needs a limit beside it.');
    return { spendLimitMillicredits: null, spendPeriod: null };
  }
  requireNamedAmount(limit, {
    name: 'spendLimit',
    words: 'A spend limit',
    least: 0,
    before: before.spendLimitMillicredits,
  });
  const period = pick(settings.spendPeriod, before.spendPeriod);
  if (period === null) throw new InvalidInputError('spendPeriod', 'A spend limit needs a period: DAY, WEEK or MONTH.');
  return { spendLimitMillicredits: limit, spendPeriod: period };
}

const rateWords = { requestsPerMinute: 'requests', tokensPerMinute: 'tokens' } as const;

function applyRate(
  before: KeyPermissions,
  settings: KeySettings,
  { field, max }: { readonly field: keyof typeof rateWords; readonly max: number },
): number | null {
  const rate = settings[field];
  if (rate == null) return rate === undefined ? before[field] : null;
  if (Number.isInteger(rate) && rate >= 1 && rate <= max) return rate;
  const whose = max === tokensPerMinuteMax ? '' : ", which is the account's";
  throw new InvalidInputError(field, `A key's own rate is 1 to ${max} ${rateWords[field]}${whose}.`);
}

function checkExpiry(expiresAtMs: number | null, nowMs: number): number | null {
  if (expiresAtMs === null || expiresAtMs > nowMs) return expiresAtMs;
  throw new InvalidInputError('expiresAt', 'A key can only expire in the future. To end it now, revoke it.');
}
