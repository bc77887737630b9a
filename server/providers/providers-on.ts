import type { Config, ProviderSettings } from '../config.js';
import type { Secret } from '../kernel/secret.js';
import { providerCatalogue } from './catalogue.js';
import { demoProviderId } from './demo/demo-provider.js';
import type { ProviderAdapter } from './provider-adapter.js';
import { findConduct, type StreamConduct, unknownConduct } from './stream-conduct.js';
import type { FileProvider } from './tollgate-file.js';

/** A provider over HTTP that can be called. */
export interface ProviderOn {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  readonly adapter: ProviderAdapter;
  readonly conduct: StreamConduct;
}

/**
 * The providers that are on, the operator's file first: those that have a key in the file or in the environment, and those
 * that need none and have an address.
 */
export function listProvidersOn({
  providers: settings,
  tollgateFile,
}: {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly tollgateFile?: Config['tollgateFile'];
}): ProviderOn[] {
  const ofFile = tollgateFile?.providers ?? [];
  const builtIn = providerCatalogue.filter(({ id }) => !ofFile.some((provider) => provider.id === id));
  const candidates = [
    ...ofFile,
    ...builtIn.map((provider): FileProvider => ({ ...provider, apiKey: null, isAddressGiven: false })),
  ];
  return candidates.flatMap((provider): ProviderOn[] => {
    const { id, adapter, isAddressGiven, isAddressNeeded, isKeyOptional } = provider;
    const movedTo = isAddressGiven ? null : (settings[id]?.baseUrl ?? null);
    const apiKey = provider.apiKey ?? settings[id]?.apiKey ?? null;
    const hasAddress = isAddressGiven || movedTo !== null;
    const isOn = apiKey === null ? isKeyOptional && hasAddress : hasAddress || isAddressNeeded !== true;
    if (!isOn || id === demoProviderId) return [];
    const conduct = findConductAt(provider, movedTo !== null, settings[id]?.stopsOnAbort ?? null);
    return [{ id, name: provider.name ?? id, baseUrl: movedTo ?? provider.baseUrl, apiKey, adapter, conduct }];
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
