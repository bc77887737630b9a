import type { Config } from '../config/config.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { modelAliases } from '../pricing/model-aliases.js';
import { findCapabilities, type ModelCapabilities } from '../pricing/model-capabilities.js';
import { type PricedModel, priceList, type Route } from '../pricing/price-list.js';
import { createDemoTarget, demoProviderId } from './demo/demo-provider.js';
import type { UpstreamTarget } from './provider-adapter.js';
import type { ProviderOverlay } from './settings/provider-overlay.js';
import { listProvidersOn, type ProviderOn } from './settings/providers-on.js';

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
  readonly capabilities: ModelCapabilities;
  /** Absent for a model that writes; for one that makes vectors. */
  readonly embedding?: PricedModel['embedding'];
  readonly isDemo: boolean;
  /** Whether the name that found it asks for one provider. */
  readonly isPinned: boolean;
  /** Never empty. */
  readonly targets: readonly UpstreamTarget[];
}

/** A provider that answers at least one model. */
export interface FoundProvider {
  readonly id: string;
  /** As people write it. */
  readonly name: string;
  readonly isDemo: boolean;
  /** Its routes, each with the public name of the model. */
  readonly routes: readonly { readonly modelId: string; readonly target: UpstreamTarget }[];
}

export interface ModelCatalogue {
  /** Every public model with at least one provider that is on, in the order of the price list. */
  readonly models: readonly FoundModel[];
  readonly providers: readonly FoundProvider[];
  /** Models of the operator's file that nobody answers, because none of their providers is on. */
  readonly unansweredModels: readonly string[];
  /**
   * Finds by public name, by `provider/model`, which leaves that provider as the only target, or by the name that another service
   * has for the model. null: unknown.
   */
  findModel(name: string): FoundModel | null;
}

export type CatalogueConfig = Pick<Config, 'providers' | 'isDemoProviderOn'> &
  Partial<Pick<Config, 'tollgateFile'>> & {
    /** What the operator has set while servers run; left out: nothing. */
    readonly overlay?: ProviderOverlay;
  };

/**
 * Joins the price list, the operator's file in front of the built-in one, with the providers that are on. Models without such
 * a provider are left out, so a caller is never offered what cannot be answered. A value: what changes while the
 * server runs makes another one (`server/catalogue/live-catalogue.ts`).
 */
export function buildCatalogue(config: CatalogueConfig): ModelCatalogue {
  const providersOn = new Map(listProvidersOn(config).map((provider) => [provider.id, provider]));
  const isDemoOn = config.isDemoProviderOn && config.overlay?.off.has(demoProviderId) !== true;
  const models: FoundModel[] = [];
  const modelByName = new Map<string, FoundModel>();
  for (const { routes, routeLimits, capabilities, ...priced } of listPricedModels(config)) {
    const inOrder = routes.toSorted((one, other) => rankOf(one, config) - rankOf(other, config));
    const targets = inOrder.flatMap((route) => {
      const target = findTarget(route, providersOn, isDemoOn);
      const canServe = priced.embedding === undefined || (target?.kind === 'http' && target.adapter.embeddings);
      return target === null || !canServe ? [] : [{ ...target, ...routeLimits?.[route] }];
    });
    const [first] = targets;
    if (!first) continue;
    const model: FoundModel = {
      ...priced,
      capabilities: { ...findCapabilities(first.upstreamModel, priced.imageTokensMax), ...capabilities },
      isDemo: targets.every(({ providerId }) => providerId === demoProviderId),
      isPinned: false,
      targets,
    };
    models.push(model);
    modelByName.set(model.id, model);
    for (const target of targets) addPins(modelByName, model, target);
  }
  // The operator's own names, and pins, come first.
  for (const [name, id] of Object.entries(modelAliases)) {
    const model = modelByName.get(id);
    if (model && !modelByName.has(name)) modelByName.set(name, model);
  }
  return {
    models,
    providers: listProviders(models, providersOn),
    unansweredModels: (config.tollgateFile?.models ?? []).map(({ id }) => id).filter((id) => !modelByName.has(id)),
    findModel: (name) => modelByName.get(name) ?? null,
  };
}

// Providers without a rank stay in the order of the price list, behind those that have one.
function rankOf(route: Route, { overlay }: CatalogueConfig): number {
  return overlay?.ranks.get(route.slice(0, route.indexOf('/'))) ?? Number.MAX_SAFE_INTEGER;
}

/** Every model that is priced, whether somebody answers it or not. */
export function listPricedModels({
  tollgateFile: file,
}: Pick<CatalogueConfig, 'tollgateFile'>): readonly PricedModel[] {
  if (!file) return priceList;
  const builtIn = file.isBuiltInOffered
    ? priceList.filter(({ id }) => !file.models.some((model) => model.id === id))
    : [];
  const repriced = builtIn.map((model) => ({
    ...model,
    millicreditsPerToken: toMillicredits(file.tiers[model.tier] ?? model.millicreditsPerToken),
  }));
  return [...file.models, ...repriced];
}

// A pin is `provider/` with either our name of the model, or the provider's own, which may stand for one route of several.
function addPins(modelByName: Map<string, FoundModel>, model: FoundModel, target: UpstreamTarget): void {
  const { providerId, upstreamModel } = target;
  const ofProvider = model.targets.filter((other) => other.providerId === providerId);
  modelByName.set(`${providerId}/${model.id}`, { ...model, isPinned: true, targets: ofProvider });
  const byTheirName = `${providerId}/${upstreamModel}`;
  if (!modelByName.has(byTheirName)) modelByName.set(byTheirName, { ...model, isPinned: true, targets: [target] });
}

// null for a route whose provider is off.
function findTarget(
  route: Route,
  providersOn: ReadonlyMap<string, ProviderOn>,
  isDemoProviderOn: boolean,
): UpstreamTarget | null {
  const slash = route.indexOf('/');
  const providerId = route.slice(0, slash);
  const upstreamModel = route.slice(slash + 1);
  if (providerId === demoProviderId) return isDemoProviderOn ? createDemoTarget(upstreamModel) : null;
  const provider = providersOn.get(providerId);
  if (!provider) return null;
  const { adapter, baseUrl, apiKey, keys, conduct } = provider;
  const target = { kind: 'http' as const, providerId, adapter, baseUrl, apiKey, upstreamModel, conduct };
  return keys === undefined ? target : { ...target, keys };
}

function listProviders(models: readonly FoundModel[], providersOn: ReadonlyMap<string, ProviderOn>): FoundProvider[] {
  const routes = models.flatMap(({ id: modelId, targets }) => targets.map((target) => ({ modelId, target })));
  const ids = [...new Set(routes.map(({ target }) => target.providerId))];
  return ids.map((id) => ({
    id,
    name: id === demoProviderId ? 'Demo' : (providersOn.get(id)?.name ?? id),
    isDemo: id === demoProviderId,
    routes: routes.filter(({ target }) => target.providerId === id),
  }));
}
