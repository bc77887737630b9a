import { z } from 'zod';
import { toMillicredits } from '../../kernel/millicredits.js';
import { type PricedModel, priceList, tiers } from '../../pricing/price-list.js';
import { providerCatalogue } from '../catalogue.js';
import { demoProviderId } from '../demo/demo-provider.js';
import { type ModelEntry, type RouteCosts, readEntry, type TollgateFile, toCosts, toModel } from './tollgate-file.js';
import { describeFileIssue, fileShape, modelShape } from './tollgate-file-shape.js';
import { parseTollgateYaml } from './tollgate-yaml.js';

/** Models and prices that operators set while servers run, checked. */
export interface PriceFile {
  /** Tier -> millicredits for one token; only those that the text names. */
  readonly tiers: Readonly<Record<string, number>>;
  readonly models: readonly PricedModel[];
  readonly costs: RouteCosts;
}

/** What the prices lie over. */
export interface PriceBase {
  /** null: only the built-in price list. */
  readonly file: TollgateFile | null;
  /** Providers of the database; null: whatever a route names is taken, since it was checked when it was set. */
  readonly providerIds: readonly string[] | null;
}

/** The column holds 65,535 bytes. */
const priceBytesMax = 60_000;

const priceShape = fileShape.pick({ tiers: true, models: true, costs: true });
const entryShape = modelShape.partial({ routes: true });

/**
 * Reads `tiers`, `models` and `costs` as `tollgate.yaml` has them; a model that is known may leave out its routes, and then keeps all but its
 * price. The result is null where there are faults, and then all of them are told.
 */
export function readPriceFile(text: string, base: PriceBase): { prices: PriceFile | null; faults: string[] } {
  const early = findEarlyFault(text);
  if (early !== null) return { prices: null, faults: [early] };
  const { value, faults } = parseTollgateYaml(text, {});
  if (faults.length > 0) return { prices: null, faults };
  const parsed = priceShape.safeParse(value ?? {});
  if (!parsed.success)
    return { prices: null, faults: parsed.error.issues.map((issue) => describeFileIssue(issue, [])) };
  const allTiers = { ...(base.file?.tiers ?? tiers), ...parsed.data.tiers };
  const known = listProviders(base, Object.values(parsed.data.models));
  const models = Object.entries(parsed.data.models).flatMap(([id, entry]): PricedModel[] => {
    const read = readEntry(entryShape, entry, ['models', id], faults);
    if (read === null) return [];
    if (isWhole(read)) return toModel(id, read, { tiers: allTiers, providers: known, faults });
    return reprice(id, read.tier, { base, tiers: allTiers, faults });
  });
  const offered = [...models, ...(base.file?.models ?? []), ...priceList];
  // A route that was taken out of the file since then costs nobody anything, and must not stop the prices.
  const costs = toCosts(parsed.data.costs, offered, base.providerIds === null ? [] : faults);
  return { prices: faults.length === 0 ? { tiers: parsed.data.tiers, models, costs } : null, faults };
}

/** The file with other prices laid over it: models and costs that both have are those of the prices. */
export function layPrices(file: TollgateFile | null, prices: PriceFile | null): TollgateFile | null {
  if (prices === null) return file;
  const allTiers: TollgateFile['tiers'] = { ...(file?.tiers ?? tiers), ...prices.tiers };
  const kept = (file?.models ?? []).filter(({ id }) => !prices.models.some((model) => model.id === id));
  const repriced = kept.map((model) => ({
    ...model,
    millicreditsPerToken: toMillicredits(allTiers[model.tier] ?? model.millicreditsPerToken),
  }));
  return {
    isBuiltInOffered: file?.isBuiltInOffered ?? true,
    tiers: allTiers,
    providers: file?.providers ?? [],
    models: [...prices.models, ...repriced],
    costs: { ...file?.costs, ...prices.costs },
  };
}

function findEarlyFault(text: string): string | null {
  if (Buffer.byteLength(text) > priceBytesMax)
    return `it is longer than ${priceBytesMax} bytes; leave out what does not change`;
  if (/\$\{\w+\}/.test(text))
    return `\${NAME} has no meaning here: prices are the same on every server; write the value out`;
  const isOfFile = /^(providers|builtInModels)\s*:/m.exec(text);
  return isOfFile === null
    ? null
    : `${isOfFile[1]}: belongs into tollgate.yaml, or to the page of providers; here are only tiers, models and costs`;
}

function listProviders({ file, providerIds }: PriceBase, entries: readonly unknown[]): ReadonlySet<string> {
  const ofFile = file?.providers ?? [];
  const known = [demoProviderId, ...[...providerCatalogue, ...ofFile].map(({ id }) => id)];
  if (providerIds !== null) return new Set([...known, ...providerIds]);
  const routes = z.array(z.union([z.string(), z.object({ to: z.string() })]));
  const named = entries.flatMap((entry) => routes.safeParse((entry as { routes?: unknown } | null)?.routes).data ?? []);
  return new Set([
    ...known,
    ...named.map((route) => (typeof route === 'string' ? route : route.to).split('/')[0] ?? ''),
  ]);
}

type Entry = z.output<typeof entryShape>;

function isWhole(entry: Entry): entry is ModelEntry {
  return entry.routes !== undefined;
}

function reprice(
  id: string,
  tier: string,
  { base, tiers: allTiers, faults }: { base: PriceBase; tiers: Readonly<Record<string, number>>; faults: string[] },
): PricedModel[] {
  const model = [...(base.file?.models ?? []), ...priceList].find((known) => known.id === id);
  const price = Object.hasOwn(allTiers, tier) ? allTiers[tier] : undefined;
  const at = `models.${id}`;
  if (model === undefined) faults.push(`${at}.routes: is missing; say who answers this model, such as openai/${id}`);
  if (price === undefined) {
    faults.push(
      `${at}.tier: there is no such tier; use one of ${Object.keys(allTiers).join(', ')}, or add it to tiers`,
    );
  }
  if (model === undefined || price === undefined) return [];
  return [{ ...model, tier, millicreditsPerToken: toMillicredits(price) }];
}
