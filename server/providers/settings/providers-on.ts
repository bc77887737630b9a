import type { Config, ProviderSettings } from '../../config/config.js';
import type { Secret } from '../../kernel/secret.js';
import { providerCatalogue } from '../catalogue.js';
import { demoProviderId } from '../demo/demo-provider.js';
import type { KeyRing } from '../key-ring.js';
import type { ProviderAdapter } from '../provider-adapter.js';
import { findConduct, type StreamConduct, unknownConduct } from '../stream-conduct.js';
import type { ProviderOverlay } from './provider-overlay.js';
import type { FileProvider } from './tollgate-file.js';

/** A provider over HTTP that can be called. */
export interface ProviderOn {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  /** Absent where the key is set in the file or the environment. */
  readonly keys?: KeyRing;
  readonly adapter: ProviderAdapter;
  readonly conduct: StreamConduct;
}

/**
 * The providers that are on, the operator's file first and those of the database last: those that have a key in the database, the
 * file or the environment, and those that need none and have an address. Keys of the database stand before others. What the
 * environment says is for providers of the file and the built-in ones: one that was added at the console gets no key of it.
 */
export function listProvidersOn({
  providers: settings,
  tollgateFile,
  overlay,
}: {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly tollgateFile?: Config['tollgateFile'];
  readonly overlay?: ProviderOverlay;
}): ProviderOn[] {
  const ofFile = tollgateFile?.providers ?? [];
  const builtIn = providerCatalogue.filter(({ id }) => !ofFile.some((provider) => provider.id === id));
  const candidates = [
    ...ofFile,
    ...builtIn.map((provider): FileProvider => ({ ...provider, apiKey: null, isAddressGiven: false })),
  ];
  const known = new Set(candidates.map(({ id }) => id));
  const added = (overlay?.providers ?? []).filter(({ id }) => !known.has(id));
  return [...candidates, ...added].flatMap((provider): ProviderOn[] => {
    const { id, adapter, isAddressGiven, isAddressNeeded, isKeyOptional } = provider;
    if (overlay?.off.has(id)) return [];
    const ofEnvironment = known.has(id) ? settings[id] : undefined;
    const movedTo = isAddressGiven ? null : (ofEnvironment?.baseUrl ?? null);
    const keys = overlay?.keys.get(id);
    const apiKey = keys?.first.secret ?? provider.apiKey ?? ofEnvironment?.apiKey ?? null;
    const hasAddress = isAddressGiven || movedTo !== null;
    const isOn = apiKey === null ? isKeyOptional && hasAddress : hasAddress || isAddressNeeded !== true;
    if (!isOn || id === demoProviderId) return [];
    const conduct = findConductAt(provider, movedTo !== null, ofEnvironment?.stopsOnAbort ?? null);
    const on = { id, name: provider.name ?? id, baseUrl: movedTo ?? provider.baseUrl, apiKey, adapter, conduct };
    return [keys === undefined ? on : { ...on, keys }];
  });
}

// What is known of a provider is not known of a gateway that stands in for it. Some are servers that everyone runs for
// themselves, or have an address for each customer: those are themselves wherever they are.
function findConductAt(provider: FileProvider, isMoved: boolean, said: boolean | null): StreamConduct {
  const { isKeyOptional, isAddressNeeded } = provider;
  const isItself = !isMoved || isKeyOptional || isAddressNeeded === true;
  const known = provider.conduct ?? (isItself ? findConduct(provider.id) : unknownConduct);
  return said === null ? known : { ...known, stopsOnAbort: said };
}
