import type { Config } from '../config.js';
import { assertInvariant } from '../kernel/assert.js';
import { type PricedModel, priceList, type Route } from '../pricing/price-list.js';
import { providerCatalogue } from './catalogue.js';
import { createDemoTarget, demoProviderId } from './demo/demo-provider.js';
import type { UpstreamTarget } from './provider-adapter.js';

/** A model that can be called now: its price, its limits, and where it is answered, best first. */
export interface FoundModel {
  /** The public name. */
  readonly id: string;
  readonly tier: PricedModel['tier'];
  readonly millicreditsPerToken: PricedModel['millicreditsPerToken'];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** The most that one image can count in the prompt; null: this model is not sold with images. */
  readonly imageTokensMax: PricedModel['imageTokensMax'];
  readonly hiddenPromptTokensMax: PricedModel['hiddenPromptTokensMax'];
  readonly isDemo: boolean;
  /** Never empty. */
  readonly targets: readonly UpstreamTarget[];
}

export interface ModelCatalogue {
  /** Every public model with at least one provider that is on, in the order of the price list. */
  readonly models: readonly FoundModel[];
  /** Finds by public name, or by `provider/model`, which leaves that provider as the only target. null: unknown. */
  findModel(name: string): FoundModel | null;
}

export type CatalogueConfig = Pick<Config, 'providers' | 'isDemoProviderOn'>;

/**
 * Joins the price list with the providers that are on. Models without such a provider are left out, so a caller is never
 * offered what cannot be answered. Fixed for the life of the process, as the settings are.
 */
export function buildCatalogue(config: CatalogueConfig): ModelCatalogue {
  const targetOf = createTargetFinder(config);
  const models: FoundModel[] = [];
  const modelByName = new Map<string, FoundModel>();
  for (const { routes, ...priced } of priceList) {
    const targets = routes.map(targetOf).filter((target) => target !== null);
    if (targets.length === 0) continue;
    const model = { ...priced, isDemo: targets.every(({ providerId }) => providerId === demoProviderId), targets };
    models.push(model);
    modelByName.set(model.id, model);
    for (const target of targets) addPins(modelByName, model, target);
  }
  return { models, findModel: (name) => modelByName.get(name) ?? null };
}

// A pin is `provider/` with either our name of the model or the provider's own.
function addPins(modelByName: Map<string, FoundModel>, model: FoundModel, target: UpstreamTarget): void {
  const pinned = { ...model, targets: [target] };
  modelByName.set(`${target.providerId}/${model.id}`, pinned);
  modelByName.set(`${target.providerId}/${target.upstreamModel}`, pinned);
}

// Answers null for a route whose provider is off.
function createTargetFinder(config: CatalogueConfig): (route: Route) => UpstreamTarget | null {
  const providers = new Map(providerCatalogue.map((provider) => [provider.id, provider]));
  return (route) => {
    const slash = route.indexOf('/');
    const providerId = route.slice(0, slash);
    const upstreamModel = route.slice(slash + 1);
    if (providerId === demoProviderId) return config.isDemoProviderOn ? createDemoTarget(upstreamModel) : null;

    const provider = providers.get(providerId);
    assertInvariant(provider !== undefined, `the provider of route ${route} is in the catalogue`);
    const settings = config.providers[providerId];
    if (!settings || (settings.apiKey === null && !(provider.isKeyOptional && settings.baseUrl !== null))) return null;
    const baseUrl = settings.baseUrl ?? provider.baseUrl;
    return { kind: 'http', providerId, adapter: provider.adapter, baseUrl, apiKey: settings.apiKey, upstreamModel };
  };
}
