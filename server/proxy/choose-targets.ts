import { AppError } from '../kernel/app-error.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';

/** Who may and who should answer a call. */
export interface TargetWishes {
  /** The provider of the header `x-tollgate-provider`: this one or none. */
  readonly header: string | null;
  /** The account's preferred provider: this one first. */
  readonly preferred: string | null;
  /** The providers that the key may use; null: all. */
  readonly allowed: readonly string[] | null;
}

/**
 * Puts the targets of one call in order. A name that pins a provider stands above the header, the header above the account's
 * preference, and that above the order of the price list. Name and header leave no other provider; the preference only comes
 * first, where it serves the model at all.
 * @returns Never empty.
 * @throws AppError `invalid_value` when the header names a provider that does not serve the model; `forbidden` when the key
 *   may use none of those that do.
 */
export function chooseTargets(model: FoundModel, wishes: TargetWishes): readonly UpstreamTarget[] {
  const named = wishes.header === null || model.isPinned ? model.targets : findByHeader(model, wishes.header);
  const allowed = named.filter(({ providerId }) => wishes.allowed === null || wishes.allowed.includes(providerId));
  if (allowed.length === 0) throw notAllowedError(model, named);
  const isPreferred = ({ providerId }: UpstreamTarget) => providerId === wishes.preferred;
  return [...allowed.filter(isPreferred), ...allowed.filter((target) => !isPreferred(target))];
}

function findByHeader({ id, targets }: FoundModel, providerId: string): readonly UpstreamTarget[] {
  const found = targets.filter((target) => target.providerId === providerId);
  if (found.length > 0) return found;
  throw new AppError(
    'invalid_value',
    `Provider '${providerId.slice(0, 60)}' of the header x-tollgate-provider does not serve the model \`${id}\`. Those that do: ${listProviders(targets)}.`,
    { param: 'x-tollgate-provider' },
  );
}

function notAllowedError({ id }: FoundModel, targets: readonly UpstreamTarget[]): AppError {
  return new AppError(
    'forbidden',
    `This API key may not use the provider of the model \`${id}\` (${listProviders(targets)}). Choose another model, or change the key's permissions on the dashboard.`,
    { param: 'model' },
  );
}

function listProviders(targets: readonly UpstreamTarget[]): string {
  return [...new Set(targets.map(({ providerId }) => providerId))].join(', ');
}
