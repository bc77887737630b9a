import { AppError } from '../kernel/app-error.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';

/** Which provider must, and which one should, answer a call; null: any. */
export interface TargetPreferences {
  /** The provider of the header `x-tollgate-provider`: this one or none. */
  readonly header: string | null;
  /** The account's preferred provider: this one first. */
  readonly preferred: string | null;
}

/**
 * Puts the targets of one call in order. A name that pins a provider stands above the header, the header above the account's
 * preference, and that above the order of the price list. Name and header leave no other provider; the preference only comes
 * first, where it serves the model at all.
 * @param model With the targets that the key may use.
 * @returns Never empty.
 * @throws AppError `invalid_value` when the header names a provider that is none of them.
 */
export function chooseTargets(model: FoundModel, preferences: TargetPreferences): readonly UpstreamTarget[] {
  const named = preferences.header === null || model.isPinned ? model.targets : findByHeader(model, preferences.header);
  const isPreferred = ({ providerId }: UpstreamTarget) => providerId === preferences.preferred;
  return [...named.filter(isPreferred), ...named.filter((target) => !isPreferred(target))];
}

function findByHeader({ id, targets }: FoundModel, providerId: string): readonly UpstreamTarget[] {
  const found = targets.filter((target) => target.providerId === providerId);
  if (found.length > 0) return found;
  throw new AppError(
    'invalid_value',
    `Provider '${providerId.slice(0, 60)}' of the header x-tollgate-provider does not serve the model \`${id}\`, or this API key may not use it there. Those that do: ${listProviders(targets)}.`,
    { param: 'x-tollgate-provider' },
  );
}

function listProviders(targets: readonly UpstreamTarget[]): string {
  return [...new Set(targets.map(({ providerId }) => providerId))].join(', ');
}
