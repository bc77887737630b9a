import { costKey, type ProviderCost, toDollarsForMillion } from '../pricing/provider-cost.js';
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
  /** What its routes cost the operator from then on where that is another cost than before, by provider. */
  readonly costs: readonly CostChange[];
}

/** In dollars for a million tokens; null: it is not set. */
export interface CostChange {
  readonly providerId: string;
  readonly before: CostInDollars | null;
  readonly after: CostInDollars | null;
}

interface CostInDollars {
  readonly input: number;
  readonly output: number;
}

/** Models and prices, and by `costKey` what they cost. */
export interface PricedCatalogue {
  readonly catalogue: ModelCatalogue;
  readonly costs: ReadonlyMap<string, ProviderCost>;
}

/** What changes between two catalogues: models that are offered in one of them, and are not the same in both or cost something else. */
export function compareCatalogues(before: PricedCatalogue, after: PricedCatalogue): readonly PriceChange[] {
  const ids = [...new Set([...after.catalogue.models, ...before.catalogue.models].map(({ id }) => id))];
  return ids.flatMap((id) => {
    const was = before.catalogue.models.find((model) => model.id === id) ?? null;
    const is = after.catalogue.models.find((model) => model.id === id) ?? null;
    const change = { ...compare(id, was, is), costs: compareCosts([was, before], [is, after]) };
    const isSame =
      was !== null && is !== null && !change.areRoutesChanged && !change.areLimitsChanged && was.tier === is.tier;
    return isSame && change.before === change.after && change.costs.length === 0 ? [] : [change];
  });
}

type ModelOf = readonly [model: FoundModel | null, of: PricedCatalogue];

function compareCosts(was: ModelOf, is: ModelOf): readonly CostChange[] {
  const find = ([model, { costs }]: ModelOf, providerId: string) => {
    const cost = model === null ? undefined : costs.get(costKey(model.id, providerId));
    if (cost === undefined) return null;
    return { input: toDollarsForMillion(cost.input), output: toDollarsForMillion(cost.output) };
  };
  const providerIds = [was, is].flatMap(([model]) => (model?.targets ?? []).map(({ providerId }) => providerId));
  return [...new Set(providerIds)].flatMap((providerId) => {
    const change = { providerId, before: find(was, providerId), after: find(is, providerId) };
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change];
  });
}

function compare(modelId: string, was: FoundModel | null, is: FoundModel | null): Omit<PriceChange, 'costs'> {
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
