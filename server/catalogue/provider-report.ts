import type { Clock } from '../kernel/clock.js';
import { providerCatalogue } from '../providers/catalogue.js';
import { demoProviderId } from '../providers/demo/demo-provider.js';
import type { KeyCooling } from '../providers/health/key-cooling.js';
import type { ProviderFigures } from '../providers/health/provider-figures.js';
import type { ProviderHealth } from '../providers/health/provider-health.js';
import { joinStates } from '../providers/health/provider-state.js';
import type { RouteState } from '../providers/health/route-breaker.js';
import type { FileProvider } from '../providers/settings/tollgate-file.js';
import type { StoredProviders } from './catalogue-store.js';
import { maskProviderKey } from './provider-changes.js';
import type { RuntimeCatalogue } from './runtime-catalogue.js';

/** Where something of a provider is set. */
export type SetIn = 'built_in' | 'environment' | 'file' | 'database';

export interface ProviderKeyFacts {
  /** null: it is the one of the file or the environment. */
  readonly id: string | null;
  readonly masked: string;
  readonly setIn: SetIn;
  readonly weight: number;
  /** Until when it cools down for all accounts in this process, for one of its models at least; null: it does not. */
  readonly coolsUntilMs: number | null;
  readonly isReadable: boolean;
  readonly createdAtMs: number | null;
}

export interface ProviderFacts {
  readonly id: string;
  readonly name: string;
  readonly setIn: SetIn;
  /** null: it lives in this process. */
  readonly address: string | null;
  readonly isSwitchedOff: boolean;
  readonly rank: number | null;
  /** Whether it answers any model now. */
  readonly isOn: boolean;
  readonly models: readonly string[];
  readonly keys: readonly ProviderKeyFacts[];
  readonly state: RouteState;
  /** When the first of its circuits that are open for all is tried again; null: none is. */
  readonly retryAtMs: number | null;
  readonly figures: ProviderFigures;
}

export interface ProviderReportParts {
  readonly catalogue: RuntimeCatalogue;
  readonly health: Pick<ProviderHealth, 'stateOf' | 'findRetryAtMs' | 'summarise'>;
  readonly cooling: KeyCooling;
  readonly clock: Clock;
}

/** Every provider that is known, where each is set and how it does in this process: those that answer first. */
export function listProviderFacts(parts: ProviderReportParts): readonly ProviderFacts[] {
  const { config, stored } = parts.catalogue;
  const ofFile = config.tollgateFile?.providers ?? [];
  const builtIn = providerCatalogue
    .filter(({ id }) => !ofFile.some((provider) => provider.id === id))
    .map((provider): FileProvider => ({ ...provider, apiKey: null, isAddressGiven: false }));
  const known = [...ofFile, ...builtIn];
  const added = (stored?.overlay.providers ?? []).filter(({ id }) => !known.some((one) => one.id === id));
  const facts = [...known, ...added].map((provider) => describe(provider, parts));
  const demo = { id: demoProviderId, name: 'Demo', baseUrl: '' };
  const all = config.isDemoProviderOn ? [...facts, describe(demo, parts)] : facts;
  return [...all.filter(({ isOn }) => isOn), ...all.filter(({ isOn }) => !isOn)];
}

type Described = Pick<FileProvider, 'id' | 'baseUrl'> & Partial<FileProvider>;

function describe(provider: Described, { catalogue, health, cooling, clock }: ProviderReportParts): ProviderFacts {
  const { id } = provider;
  const { config, live, stored } = catalogue;
  const setting = stored?.settings.find((row) => row.id === id);
  const found = live.now.providers.find((one) => one.id === id);
  const routes = found?.routes ?? [];
  const states = routes.map(({ target }) => health.stateOf(target));
  const retryTimes = routes.flatMap(({ target }) => health.findRetryAtMs(target) ?? []);
  const movedTo = provider.isAddressGiven ? null : config.providers[id]?.baseUrl;
  return {
    id,
    name: found?.name ?? provider.name ?? id,
    setIn: findSetIn(id, catalogue),
    address: id === demoProviderId ? null : (movedTo ?? provider.baseUrl),
    isSwitchedOff: setting?.isOff ?? false,
    rank: setting?.rank ?? null,
    isOn: found !== undefined,
    models: [...new Set(routes.map(({ modelId }) => modelId))],
    keys: listKeys(provider, {
      catalogue,
      stored,
      coolsUntilMs: (keyId) => findCoolsUntilMs(keyId, { cooling, clock }),
    }),
    state: joinStates(states),
    retryAtMs: retryTimes.length === 0 ? null : Math.min(...retryTimes),
    figures: health.summarise(id),
  };
}

function findCoolsUntilMs(keyId: string, { cooling, clock }: Pick<ProviderReportParts, 'cooling' | 'clock'>) {
  const elapsedMs = clock.elapsedMs();
  const untilElapsedMs = cooling.findUntilMsForAll(keyId, elapsedMs);
  return untilElapsedMs === null ? null : Math.round(clock.nowMs() + untilElapsedMs - elapsedMs);
}

function findSetIn(id: string, catalogue: RuntimeCatalogue): SetIn {
  const { config } = catalogue;
  if (config.tollgateFile?.providers.some((provider) => provider.id === id)) return 'file';
  if (!catalogue.isKnown(id)) return 'database';
  const ofEnvironment = config.providers[id];
  return ofEnvironment?.apiKey != null || ofEnvironment?.baseUrl != null ? 'environment' : 'built_in';
}

interface KeySources {
  readonly catalogue: RuntimeCatalogue;
  readonly stored: StoredProviders | null;
  readonly coolsUntilMs: (keyId: string) => number | null;
}

// Those of the database stand before the one of the settings, which is then not used.
function listKeys(provider: Described, { catalogue, stored, coolsUntilMs }: KeySources): ProviderKeyFacts[] {
  const { id } = provider;
  const kept = (stored?.keys ?? []).filter(({ providerId }) => providerId === id);
  if (kept.length > 0) {
    return kept.map(({ id: keyId, masked, weight, isReadable, createdAtMs }) => ({
      id: keyId,
      masked,
      weight,
      isReadable,
      createdAtMs,
      setIn: 'database',
      coolsUntilMs: coolsUntilMs(keyId),
    }));
  }
  const ofFile = provider.apiKey ?? null;
  const secret = ofFile ?? (catalogue.isKnown(id) ? catalogue.config.providers[id]?.apiKey : null) ?? null;
  if (secret === null) return [];
  const facts = { id: null, masked: maskProviderKey(secret), weight: 1, coolsUntilMs: null, isReadable: true };
  return [{ ...facts, setIn: ofFile === null ? 'environment' : 'file', createdAtMs: null }];
}
