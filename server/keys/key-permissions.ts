import { isAddressAmong, isWithin, parseNetwork } from '../kernel/addresses/network-address.js';
import type { ActingKey, KeyPermissions, KeyScope } from '../kernel/api-key.js';
import { AppError } from '../kernel/app-error.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** What a key may do when nobody says otherwise, and what every key could do before there were scopes. */
export const defaultScopes: readonly KeyScope[] = ['chat', 'usage:read'];

/** What stands in a key's row, as permissions. */
export function readPermissions(row: ApiKeyEntity): KeyPermissions {
  return {
    scopes: row.scopes.split(' ') as KeyScope[],
    models: readList(row.models),
    providers: readList(row.providers),
    addresses: readList(row.addresses),
    spendLimitMillicredits: row.spendLimitMillicredits,
    spendPeriod: row.spendPeriod,
    requestsPerMinute: row.requestsPerMinute,
    tokensPerMinute: row.tokensPerMinute,
    expiresAtMs: row.expiresAtMs,
  };
}

/** Permissions as they stand in a key's row. */
export function writePermissions(permissions: KeyPermissions) {
  const { scopes, models, providers, addresses, ...rest } = permissions;
  const writeList = (list: readonly string[] | null) => list && JSON.stringify(list);
  return {
    ...rest,
    scopes: scopes.join(' '),
    models: writeList(models),
    providers: writeList(providers),
    addresses: writeList(addresses),
  };
}

function readList(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

/** @throws AppError `missing_scope`, naming the scopes of which one is needed. */
export function requireScope({ scopes }: KeyPermissions, ...needed: readonly KeyScope[]): void {
  if (needed.some((scope) => scopes.includes(scope))) return;
  const names = needed.map((scope) => `\`${scope}\``).join(' or ');
  throw new AppError(
    'missing_scope',
    `This API key lacks the scope ${names}; it has ${scopes.map((scope) => `\`${scope}\``).join(', ')}. Use another key, or add the scope on the dashboard's page "Keys".`,
    { metadata: { permission: 'scopes', needed: needed.join(' ') } },
  );
}

/** @throws AppError `ip_not_authorized` when the key may not be used from there. */
export function requireAddress({ addresses }: KeyPermissions, address: string): void {
  if (addresses === null || isAddressAmong(addresses, address)) return;
  throw new AppError(
    'ip_not_authorized',
    `This API key may not be used from the address ${address}. Add it to the key's allowed addresses on the dashboard's page "Keys".`,
    { metadata: { permission: 'addresses', address } },
  );
}

/** @throws AppError `model_not_allowed` when the key is not for this model. */
export function requireModel({ models }: KeyPermissions, model: string): void {
  if (models?.includes(model) ?? true) return;
  throw new AppError(
    'model_not_allowed',
    `This API key may not call the model \`${model}\`, only ${listSome(models ?? [])}.`,
    { param: 'model', metadata: { permission: 'models' } },
  );
}

/** @throws AppError `model_not_allowed` when an operator has not left this model to the account. @param models null: all. */
export function requireModelOfAccount(models: readonly string[] | null, model: string): void {
  if (models?.includes(model) ?? true) return;
  throw new AppError(
    'model_not_allowed',
    `Your account may not call the model \`${model}\`, only ${listSome(models ?? [])}. The operator of this server can change that.`,
    { param: 'model', metadata: { permission: 'account_models' } },
  );
}

/**
 * Keeps the providers that the key may be answered by, in their order.
 * @throws AppError `provider_not_allowed` when there are none.
 */
export function keepAllowedProviders<Target extends { readonly providerId: string }>(
  { providers }: KeyPermissions,
  targets: readonly Target[],
): readonly Target[] {
  if (providers === null) return targets;
  const allowed = targets.filter(({ providerId }) => providers.includes(providerId));
  if (allowed.length > 0) return allowed;
  throw new AppError(
    'provider_not_allowed',
    `This API key may be answered by ${listSome(providers)} only, and this model is answered by ${listSome(targets.map(({ providerId }) => providerId))}.`,
    { param: 'model', metadata: { permission: 'providers' } },
  );
}

function listSome(names: readonly string[]): string {
  const shown = [...new Set(names)].slice(0, 5).map((name) => `\`${name}\``);
  return shown.join(', ') + (names.length > 5 ? ', …' : '');
}

/**
 * A key may give, change and take away no more than it may itself, so that nothing is gained by its secret that it was not
 * given for. A spend limit cannot be handed on at all: a key that has one manages only itself, and keys without `chat`, since
 * each further key would bring a further limit with it.
 * @throws AppError `beyond_own_permissions`, naming the field.
 */
export function requireSubset(actor: ActingKey, keyId: string | null, wanted: KeyPermissions): void {
  const field = findExcess(actor.permissions, wanted, keyId === actor.keyId);
  if (field === null) return;
  throw new AppError(
    'beyond_own_permissions',
    `By an API key only keys can be managed that may do no more than itself; this one would in \`${field}\`. Do it on the dashboard.`,
    { param: field },
  );
}

function findExcess(own: KeyPermissions, wanted: KeyPermissions, isItself: boolean): string | null {
  if (!wanted.scopes.every((scope) => own.scopes.includes(scope))) return 'scopes';
  if (!isPartOf(wanted.models, own.models)) return 'models';
  if (!isPartOf(wanted.providers, own.providers)) return 'providers';
  if (!areWithin(wanted.addresses, own.addresses)) return 'addresses';
  if (!isAtMost(wanted.requestsPerMinute, own.requestsPerMinute)) return 'requestsPerMinute';
  if (!isAtMost(wanted.tokensPerMinute, own.tokensPerMinute)) return 'tokensPerMinute';
  if (!isAtMost(wanted.expiresAtMs, own.expiresAtMs)) return 'expiresAt';
  if (own.spendLimitMillicredits === null) return null;
  if (!isItself) return wanted.scopes.includes('chat') ? 'spendLimit' : null;
  if (wanted.spendPeriod !== own.spendPeriod) return 'spendPeriod';
  return isAtMost(wanted.spendLimitMillicredits, own.spendLimitMillicredits) ? null : 'spendLimit';
}

function isPartOf(wanted: readonly string[] | null, own: readonly string[] | null): boolean {
  return own === null || (wanted?.every((name) => own.includes(name)) ?? false);
}

function isAtMost(wanted: number | null, own: number | null): boolean {
  return own === null || (wanted !== null && wanted <= own);
}

function areWithin(wanted: readonly string[] | null, own: readonly string[] | null): boolean {
  if (own === null) return true;
  const ownNetworks = own.map(parseNetwork).filter((network) => network !== null);
  const wantedNetworks = wanted?.map(parseNetwork) ?? [null];
  return wantedNetworks.every((inner) => inner !== null && ownNetworks.some((outer) => isWithin(inner, outer)));
}
