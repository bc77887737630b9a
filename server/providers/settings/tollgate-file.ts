import type { z } from 'zod';
import { toMillicredits } from '../../kernel/millicredits.js';
import { Secret } from '../../kernel/secret.js';
import {
  type ImageTokensMax,
  type PricedModel,
  priceList,
  type Route,
  type RouteLimits,
  tiers,
} from '../../pricing/price-list.js';
import { type ProviderCost, toProviderCost } from '../../pricing/provider-cost.js';
import { type CatalogueProvider, providerCatalogue } from '../catalogue.js';
import { demoProviderId } from '../demo/demo-provider.js';
import { createOpenAiCompatibleAdapter } from '../openai-compatible/openai-compatible-adapter.js';
import { commonDialect } from '../openai-compatible/openai-dialect.js';
import { findConduct, type StreamConduct, unknownConduct } from '../stream-conduct.js';
import { type costsShape, describeFileIssue, fileShape, modelShape, providerShape } from './tollgate-file-shape.js';
import { parseTollgateYaml } from './tollgate-yaml.js';

/** What an operator says in `tollgate.yaml`, checked. */
export interface TollgateFile {
  /** Whether the models of the built-in price list are offered beside these. */
  readonly isBuiltInOffered: boolean;
  /** Tier -> millicredits for one token; the built-in ones are in it. */
  readonly tiers: Readonly<Record<string, number>>;
  readonly providers: readonly FileProvider[];
  readonly models: readonly PricedModel[];
  /** What routes cost the operator; left out: it is not known of any. */
  readonly costs?: RouteCosts;
}

export type RouteCosts = Readonly<Record<string, ProviderCost>>;

/** A provider of the file. It stands in for the built-in one of the same id. */
export interface FileProvider extends CatalogueProvider {
  /** null: the environment may have one. */
  readonly apiKey: Secret | null;
  /** Whether the file names the address; else the environment may move it. */
  readonly isAddressGiven: boolean;
  /** What the file, or the server's own make, says of it; left out, what is known of a provider of this id. */
  readonly conduct?: StreamConduct;
}

type Environment = Readonly<Record<string, string | undefined>>;
type ProviderEntry = z.output<typeof providerShape>;
export type ModelEntry = z.output<typeof modelShape>;

/** Reads the text of `tollgate.yaml`. The file is null where there are faults, and then all of them are told. */
export function readTollgateFile(
  text: string,
  environment: Environment,
): { file: TollgateFile | null; faults: string[] } {
  const { value, faults: unfilled } = parseTollgateYaml(text, environment);
  if (value === undefined && unfilled.length > 0) return { file: null, faults: unfilled };
  const { file, faults: found } = checkFile(value);
  // What stands for a variable that is missing is empty, which is no second fault.
  const emptyPaths = unfilled.map(pathOf);
  const faults = [...unfilled, ...found.filter((fault) => !emptyPaths.includes(pathOf(fault)))];
  return { file: faults.length === 0 ? file : null, faults };
}

function pathOf(fault: string): string {
  return fault.slice(0, fault.indexOf(': '));
}

function checkFile(value: unknown): { file: TollgateFile | null; faults: string[] } {
  const faults: string[] = [];
  const parsed = fileShape.safeParse(value ?? {});
  if (!parsed.success) {
    return { file: null, faults: parsed.error.issues.map((issue) => describeFileIssue(issue, [])) };
  }
  const allTiers = { ...tiers, ...parsed.data.tiers };
  const providers = Object.entries(parsed.data.providers).flatMap(([id, entry]) => {
    const read = readEntry(providerShape, entry, ['providers', id], faults);
    return read === null ? [] : toProvider(id, read, faults);
  });
  const known = new Set([
    demoProviderId,
    ...providerCatalogue.map(({ id }) => id),
    ...Object.keys(parsed.data.providers),
  ]);
  const models = Object.entries(parsed.data.models).flatMap(([id, entry]) => {
    const read = readEntry(modelShape, entry, ['models', id], faults);
    return read === null ? [] : toModel(id, read, { tiers: allTiers, providers: known, faults });
  });
  const offered = [...models, ...(parsed.data.builtInModels ? priceList : [])];
  const costs = toCosts(parsed.data.costs, offered, faults);
  const file = { isBuiltInOffered: parsed.data.builtInModels, tiers: allTiers, providers, models, costs };
  return { file, faults };
}

/** Reads one entry of `providers`, as the file would have it. null where there are faults, and then all of them are told. */
export function readFileProvider(id: string, entry: unknown): { provider: FileProvider | null; faults: string[] } {
  const faults: string[] = [];
  const read = readEntry(providerShape, entry, ['providers', id], faults);
  const [provider] = read === null ? [] : toProvider(id, read, faults);
  return { provider: faults.length === 0 ? (provider ?? null) : null, faults };
}

/** Reads one entry by its shape. null where it has faults, which are added to `faults` with their place. */
export function readEntry<Shape extends z.ZodType>(
  shape: Shape,
  entry: unknown,
  path: readonly string[],
  faults: string[],
) {
  const parsed = shape.safeParse(entry ?? {});
  if (parsed.success) return parsed.data;
  faults.push(...parsed.error.issues.map((issue) => describeFileIssue(issue, path)));
  return null;
}

// The adapter `openai` is the common dialect; any other built-in provider lends its own.
function toProvider(id: string, entry: ProviderEntry, faults: string[]): FileProvider[] {
  const own = providerCatalogue.find((provider) => provider.id === id);
  const adapterName = entry.adapter ?? (own ? id : 'openai');
  const model = adapterName === id ? own : providerCatalogue.find((provider) => provider.id === adapterName);
  const at = `providers.${id}`;
  const found: string[] = [];
  if (id === demoProviderId) found.push(`${at}: this name is taken by the embedded provider; choose another`);
  if (!model) {
    const names = providerCatalogue.map((provider) => provider.id).join(', ');
    found.push(`${at}.adapter: there is no such adapter; use openai, anthropic or gemini, or one of ${names}`);
  }
  if (!own && entry.baseUrl === undefined) found.push(`${at}.baseUrl: is missing; say where this provider listens`);
  const isCommon = adapterName === 'openai' && id !== 'openai';
  const dialect = isCommon ? commonDialect : model?.dialect;
  if (entry.dialect && model && !dialect) {
    found.push(`${at}.dialect: the adapter ${adapterName} has none; take it out`);
  }
  faults.push(...found);
  if (!model || found.length > 0) return [];
  const changed = dialect && (isCommon || entry.dialect) ? { ...dialect, ...withoutAbsent(entry.dialect ?? {}) } : null;
  return [
    {
      id,
      name: entry.name ?? own?.name ?? id,
      baseUrl: entry.baseUrl ?? own?.baseUrl ?? '',
      isAddressGiven: entry.baseUrl !== undefined,
      isAddressNeeded: own?.isAddressNeeded === true && entry.baseUrl === undefined,
      isKeyOptional: own?.isKeyOptional ?? true,
      adapter: changed ? createOpenAiCompatibleAdapter(changed) : model.adapter,
      apiKey: entry.apiKey === undefined ? null : new Secret(entry.apiKey),
      ...findFileConduct(id, entry, model),
    },
  ];
}

// An address of the operator's own is known by the make of the server that the adapter names, where that is one.
function findFileConduct(
  id: string,
  { baseUrl, stopsOnAbort }: ProviderEntry,
  make: CatalogueProvider,
): { conduct?: StreamConduct } {
  if (baseUrl === undefined && stopsOnAbort === undefined) return {};
  const isKnown = make.isKeyOptional || (baseUrl === undefined && make.id === id);
  const known = isKnown ? findConduct(make.id) : unknownConduct;
  return { conduct: stopsOnAbort === undefined ? known : { ...known, stopsOnAbort } };
}

// More than any provider is known to put before a prompt with tools.
const hiddenPromptTokensMax = 1_024;

const noCapabilities = { tools: false, jsonSchema: false, reasoning: false };

interface ModelReferences {
  readonly tiers: TollgateFile['tiers'];
  readonly providers: ReadonlySet<string>;
  readonly faults: string[];
}

/** One entry of `models`; what it leaves out is that of the built-in model of the same name. Empty where it has faults, which are added. */
export function toModel(
  id: string,
  entry: ModelEntry,
  { tiers: allTiers, providers, faults }: ModelReferences,
): PricedModel[] {
  const builtIn = priceList.find((model) => model.id === id);
  const at = `models.${id}`;
  const found: string[] = [];
  const price = Object.hasOwn(allTiers, entry.tier) ? allTiers[entry.tier] : undefined;
  if (price === undefined) {
    found.push(`${at}.tier: there is no such tier; use one of ${Object.keys(allTiers).join(', ')}, or add it to tiers`);
  }
  const embedding = entry.embedding ?? builtIn?.embedding;
  const maxOutputTokens = embedding ? 0 : (entry.maxOutputTokens ?? builtIn?.maxOutputTokens);
  if (maxOutputTokens === undefined) {
    found.push(`${at}.maxOutputTokens: is missing; say how many tokens an answer may have`);
  }
  const contextTokens = entry.contextTokens ?? builtIn?.contextTokens ?? Math.max(131_072, 2 * (maxOutputTokens ?? 0));
  if ((maxOutputTokens ?? 0) > contextTokens) {
    found.push(`${at}.maxOutputTokens: is more than contextTokens, which counts prompt and answer together`);
  }
  const routes = entry.routes.map((route) => (typeof route === 'string' ? { to: route } : route));
  routes.forEach(({ to }, index) => {
    if (providers.has(to.slice(0, to.indexOf('/')))) return;
    found.push(`${at}.routes.${index}: there is no such provider; name one of ${[...providers].join(', ')}`);
  });
  faults.push(...found);
  if (found.length > 0 || price === undefined || maxOutputTokens === undefined) return [];
  return [
    {
      id,
      tier: entry.tier,
      millicreditsPerToken: toMillicredits(price),
      contextTokens,
      maxOutputTokens,
      imageTokensMax: findImages(entry, builtIn),
      hiddenPromptTokensMax: builtIn?.hiddenPromptTokensMax ?? hiddenPromptTokensMax,
      routes: routes.map(({ to }) => to as Route),
      capabilities: embedding ? noCapabilities : withoutAbsent(entry.capabilities ?? {}),
      ...(embedding ? { embedding } : {}),
      routeLimits: Object.fromEntries(routes.map((route) => [route.to, toLimits(route)])),
    },
  ];
}

/** The entries of `costs`, whose routes must be those of a model. Faults are added. */
export function toCosts(
  entries: z.output<typeof costsShape>,
  models: readonly Pick<PricedModel, 'routes'>[],
  faults: string[],
): RouteCosts {
  const routes = new Set<string>(models.flatMap((model) => model.routes));
  for (const route of Object.keys(entries)) {
    if (routes.has(route)) continue;
    faults.push(`costs.${route}: no model is answered there; name a route of a model, such as openai/gpt-4o-mini`);
  }
  return Object.fromEntries(Object.entries(entries).map(([route, cost]) => [route, toProviderCost(cost)]));
}

function findImages({ images }: ModelEntry, builtIn: PricedModel | undefined): ImageTokensMax | null {
  if (images === 'none') return null;
  return images ?? builtIn?.imageTokensMax ?? null;
}

function toLimits(route: { maxOutputTokens?: number | undefined; images?: ImageTokensMax | undefined }): RouteLimits {
  return {
    ...(route.maxOutputTokens === undefined ? {} : { maxOutputTokens: route.maxOutputTokens }),
    ...(route.images === undefined ? {} : { imageTokensMax: route.images }),
  };
}

type WithoutAbsent<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutAbsent<Fields extends object>(fields: Fields): WithoutAbsent<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutAbsent<Fields>;
}
