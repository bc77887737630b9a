import type { ProviderSettings } from '../../config/config.js';
import { Secret } from '../../kernel/secret.js';
import { findSecretFault, findTextFault, isWebAddress } from '../../kernel/settings/setting-shapes.js';
import { providerCatalogue } from '../catalogue.js';

type FilledIn = Readonly<Record<string, string>>;

/**
 * What the environment says of providers: `<NAME>_API_KEY` turns one on, `<NAME>_BASE_URL` moves it, `<NAME>_STOPS_ON_ABORT` says
 * what it does there when its connection is closed. Which names mean something, the catalogue and the operator's file know.
 */
export function readProviderSettings(environment: FilledIn): Record<string, ProviderSettings> {
  const providers: Record<string, ProviderSettings> = {};
  for (const name of Object.keys(environment)) {
    const match = /^([A-Z][A-Z0-9]*)_(API_KEY|BASE_URL|STOPS_ON_ABORT)$/.exec(name);
    if (!match?.[1]) continue;
    const apiKey = environment[`${match[1]}_API_KEY`];
    const stopsOnAbort = environment[`${match[1]}_STOPS_ON_ABORT`];
    providers[match[1].toLowerCase()] = Object.freeze({
      apiKey: apiKey === undefined ? null : new Secret(apiKey),
      baseUrl: environment[`${match[1]}_BASE_URL`]?.replace(/\/+$/, '') ?? null,
      ...(stopsOnAbort === undefined ? {} : { stopsOnAbort: stopsOnAbort === 'on' }),
    });
  }
  return providers;
}

/** The settings that hold the keys of providers that are known, here or to the operator's file. */
export function listKeyNames(idsOfFile: readonly string[]): string[] {
  return listIds(idsOfFile).map(keyName);
}

/**
 * What is wrong with them, each as one sentence without the value. Other programs have settings of such names, too: only those
 * of providers that are known, here or to the operator's file, are looked at.
 */
export function findProviderFaults(environment: FilledIn, idsOfFile: readonly string[]): string[] {
  return listIds(idsOfFile).flatMap((id) => {
    const addressName = `${id.toUpperCase()}_BASE_URL`;
    const abortName = `${id.toUpperCase()}_STOPS_ON_ABORT`;
    const { [keyName(id)]: key, [addressName]: address, [abortName]: abort } = environment;
    const faults = [
      key === undefined ? null : findSecretFault(keyName(id), key),
      address === undefined ? null : findAddressFault(addressName, address),
      abort === undefined || abort === 'on' || abort === 'off' ? null : `${abortName} must be on or off`,
    ];
    return faults.filter((fault) => fault !== null);
  });
}

function listIds(idsOfFile: readonly string[]): string[] {
  return [...new Set([...providerCatalogue.map(({ id }) => id), ...idsOfFile])];
}

/** The setting that holds the key of a provider. */
export function keyName(id: string): string {
  return `${id.toUpperCase()}_API_KEY`;
}

function findAddressFault(name: string, address: string): string | null {
  const isSound = isWebAddress(address);
  return (
    findTextFault(name, address) ??
    (isSound ? null : `${name} must be an http(s) address without user, password and parameters`)
  );
}
