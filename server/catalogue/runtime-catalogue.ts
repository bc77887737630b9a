import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { StateWatch } from '../kernel/jobs/state-watch.js';
import type { Logger } from '../kernel/logger.js';
import type { CostPeriod } from '../pricing/provider-cost.js';
import { providerCatalogue } from '../providers/catalogue.js';
import { demoProviderId } from '../providers/demo/demo-provider.js';
import { buildCatalogue, type CatalogueConfig, type ModelCatalogue } from '../providers/model-catalogue.js';
import { layPrices, type PriceFile, readPriceFile } from '../providers/settings/price-file.js';
import type { ProviderOverlay } from '../providers/settings/provider-overlay.js';
import type { CatalogueStore, StoredProviders } from './catalogue-store.js';
import { LiveCatalogue } from './live-catalogue.js';
import { fillBackwards, findModelCosts } from './model-costs.js';
import { compareCatalogues, type PriceChange } from './price-preview.js';
import type { PriceVersion, PriceVersions } from './price-versions.js';

export interface RuntimeCatalogueParts {
  /** What the environment and `tollgate.yaml` say. */
  readonly config: CatalogueConfig;
  readonly store: CatalogueStore;
  readonly prices: PriceVersions;
  /** Why these providers must not be called, in one sentence with the remedy; null: they may. */
  readonly findFault: (overlay: ProviderOverlay) => string | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How far this process is with changes of providers, models and prices. */
export interface CatalogueStanding {
  /** The last change that was taken over; -1: nothing was read yet. */
  readonly revision: number;
  /** Why a later one was not; null: there is none that this process knows of. */
  readonly fault: string | null;
}

/** What stands in the database of providers, models and prices. */
interface SetCatalogue {
  readonly stored: StoredProviders;
  readonly inForce: PriceVersion | null;
  readonly coming: readonly PriceVersion[];
  /** The time by which it was told what is in force. Milliseconds since 1970-01-01 UTC. */
  readonly readAtMs: number;
}

/** Where the price of a model that is offered is set. */
export interface PricedWhere {
  readonly modelId: string;
  readonly tier: string;
  readonly millicreditsPerToken: number;
  readonly setIn: 'built_in' | 'file' | 'database';
}

/** The settings, the file and what operators have set in the database, as one catalogue that is in force. */
export class RuntimeCatalogue {
  readonly live: LiveCatalogue;
  /** Nobody is to be served at wrong prices, so that its start fails where it cannot read. */
  readonly watch: StateWatch<SetCatalogue>;
  #stored: StoredProviders | null = null;
  #readAtMs = 0;

  constructor(private readonly parts: RuntimeCatalogueParts) {
    const { config, clock, logger } = parts;
    this.live = new LiveCatalogue(buildCatalogue(config), clock);
    const takeOver = (set: SetCatalogue) => this.#takeOver(set);
    this.watch = new StateWatch({ name: 'catalogue', logger, read: () => this.#read(), takeOver });
  }

  /** What the settings and the file say. */
  get config(): CatalogueConfig {
    return this.parts.config;
  }

  /** What was last taken over of the database; null: nothing was read yet. */
  get stored(): StoredProviders | null {
    return this.#stored;
  }

  get standing(): CatalogueStanding {
    return { revision: this.#stored?.revision ?? -1, fault: this.watch.fault };
  }

  /** Whether the file or the built-in catalogue knows a provider of this name. */
  isKnown(providerId: string): boolean {
    const ofFile = this.parts.config.tollgateFile?.providers ?? [];
    return providerId === demoProviderId || [...ofFile, ...providerCatalogue].some(({ id }) => id === providerId);
  }

  /**
   * What these prices would change for callers, and of what models cost, beside what would be in force at that time without them.
   * @throws InvalidInputError naming every fault of the text, at most five.
   */
  async preview(document: string, atMs: number): Promise<readonly PriceChange[]> {
    const providerIds = (this.#stored?.overlay.providers ?? []).map(({ id }) => id);
    const { prices, faults } = readPriceFile(document, { file: this.#file, providerIds });
    if (prices === null) throw new InvalidInputError('document', `${faults.slice(0, 5).join('; ')}.`);
    const before = this.#readVersion(await this.parts.prices.findInForce(atMs));
    const price = (file: PriceFile | null) => ({
      catalogue: this.#build(file),
      costs: findModelCosts(layPrices(this.#file, file)),
    });
    return compareCatalogues(price(before), price(prices));
  }

  /** Every model that is offered now, and where its price is set. */
  async listPrices(): Promise<readonly PricedWhere[]> {
    const inForce = this.#readVersion(await this.parts.prices.findInForce(this.parts.clock.nowMs()));
    const ofFile = this.#file;
    return this.live.models.map(({ id: modelId, tier, millicreditsPerToken }) => {
      const isOfDatabase =
        inForce?.models.some(({ id }) => id === modelId) || Object.hasOwn(inForce?.tiers ?? {}, tier);
      const isOfFile = ofFile?.models.some(({ id }) => id === modelId) === true;
      const setIn = isOfDatabase ? 'database' : isOfFile ? 'file' : 'built_in';
      return { modelId, tier, millicreditsPerToken, setIn };
    });
  }

  /** What routes cost in a range, in the order of time, by the file and by what operators had set for then; and what they cost since. */
  async listCosts(range: { readonly fromMs: number; readonly toMs: number }): Promise<readonly CostPeriod[]> {
    const toMs = Math.max(range.toMs, this.parts.clock.nowMs() + 1);
    const versions = await this.parts.prices.listInForce({ ...range, toMs });
    const periods = versions.map((version) => ({
      fromMs: version.effectiveAtMs,
      priceVersion: version.number,
      costs: findModelCosts(layPrices(this.#file, this.#readPast(version))),
    }));
    const isCovered = versions[0] !== undefined && versions[0].effectiveAtMs <= range.fromMs;
    const ofFile = { fromMs: 0, priceVersion: 0, costs: findModelCosts(this.#file) };
    return fillBackwards(isCovered ? periods : [ofFile, ...periods]);
  }

  /** What operators have set of providers, as it was last read; null: it was not. */
  get overlay(): ProviderOverlay | null {
    return this.#stored?.overlay ?? null;
  }

  get #file() {
    return this.parts.config.tollgateFile ?? null;
  }

  async #read(): Promise<SetCatalogue | null> {
    const { clock, prices, store } = this.parts;
    const readAtMs = clock.nowMs();
    // What was in force by a clock that was ahead may not be yet.
    const wasSetBack = readAtMs < this.#readAtMs;
    if ((await store.readRevision()) === this.#stored?.revision && !wasSetBack) return null;
    const stored = await store.read();
    const [inForce, coming] = [await prices.findInForce(readAtMs), await prices.listComing(readAtMs)];
    return { stored, inForce, coming, readAtMs };
  }

  #takeOver({ stored, inForce, coming, readAtMs }: SetCatalogue): void {
    const fault = this.parts.findFault(stored.overlay);
    if (fault !== null) throw new AppError('conflict', `${fault}.`);
    const prices = this.#readVersion(inForce);
    const later = coming.map((version) => ({ fromMs: version.effectiveAtMs, prices: this.#readVersion(version) }));
    this.#stored = stored;
    this.#readAtMs = readAtMs;
    const catalogue = this.#build(prices);
    this.live.replace(
      catalogue,
      later.map((version) => ({ fromMs: version.fromMs, catalogue: this.#build(version.prices) })),
    );
    for (const model of catalogue.unansweredModels) this.parts.logger.warn('model_has_no_provider', { model });
  }

  #build(prices: PriceFile | null): ModelCatalogue {
    const { config } = this.parts;
    const overlay = this.#stored === null ? {} : { overlay: this.#stored.overlay };
    return buildCatalogue({ ...config, tollgateFile: layPrices(this.#file, prices), ...overlay });
  }

  // What the file has become since then may have made it unreadable; then what stands in the file is all that is known.
  #readPast(version: PriceVersion): PriceFile | null {
    return readPriceFile(version.document, { file: this.#file, providerIds: null }).prices;
  }

  // It was checked when it was set: one that cannot be read now stops the change that it belongs to, and what was in force stays.
  #readVersion(version: PriceVersion | null): PriceFile | null {
    if (version === null) return null;
    const { prices, faults } = readPriceFile(version.document, { file: this.#file, providerIds: null });
    if (prices === null)
      throw new Error(`Version ${version.number} of the prices cannot be read: ${faults.join('; ')}`);
    return prices;
  }
}
