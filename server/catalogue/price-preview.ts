import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';

/** What becomes of one model. */
export interface PriceChange {
  readonly modelId: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Millicredits for one token; null: it is not offered. */
  readonly before: number | null;
  readonly after: number | null;
  readonly tierBefore: string | null;
  readonly tierAfter: string | null;
  /** Whether it is answered elsewhere, or in another order. */
  readonly areRoutesChanged: boolean;
  /** Whether its limits change. */
  readonly areLimitsChanged: boolean;
}

/** What changes for callers between two catalogues: models that are offered in one of them, and are not the same in both. */
export function compareCatalogues(before: ModelCatalogue, after: ModelCatalogue): readonly PriceChange[] {
  const ids = [...new Set([...after.models, ...before.models].map(({ id }) => id))];
  return ids.flatMap((id) => {
    const was = before.models.find((model) => model.id === id) ?? null;
    const is = after.models.find((model) => model.id === id) ?? null;
    const change = compare(id, was, is);
    const isSame =
      was !== null && is !== null && !change.areRoutesChanged && !change.areLimitsChanged && was.tier === is.tier;
    return isSame && change.before === change.after ? [] : [change];
  });
}

function compare(modelId: string, was: FoundModel | null, is: FoundModel | null): PriceChange {
  return {
    modelId,
    kind: was === null ? 'added' : is === null ? 'removed' : 'changed',
    before: was?.millicreditsPerToken ?? null,
    after: is?.millicreditsPerToken ?? null,
    tierBefore: was?.tier ?? null,
    tierAfter: is?.tier ?? null,
    areRoutesChanged: listRoutes(was) !== listRoutes(is),
    areLimitsChanged: listLimits(was) !== listLimits(is),
  };
}

function listRoutes(model: FoundModel | null): string {
  return (model?.targets ?? []).map(({ providerId, upstreamModel }) => `${providerId}/${upstreamModel}`).join(' ');
}

function listLimits(model: FoundModel | null): string {
  return model === null ? '' : JSON.stringify([model.contextTokens, model.maxOutputTokens, model.imageTokensMax]);
}
