import type { ProviderSettings } from '../config.js';
import { Secret } from '../kernel/secret.js';

/**
 * Reads what the environment says of providers: `<NAME>_API_KEY` turns one on, `<NAME>_BASE_URL` moves it, `<NAME>_STOPS_ON_ABORT`
 * says what it does there when its connection is closed. Which names mean something, the catalogue knows.
 */
export function readProviders(environment: Readonly<Record<string, string>>): Record<string, ProviderSettings> {
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

export function findAddressFaults(providers: Readonly<Record<string, ProviderSettings>>): string[] {
  return Object.entries(providers)
    .filter(([, { baseUrl }]) => baseUrl !== null && !/^https?:\/\/[^@]+$/.test(baseUrl))
    .map(([name]) => `${name.toUpperCase()}_BASE_URL must be an http(s) address without user and password`);
}

export function findAbortFaults(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => /^[A-Z][A-Z0-9]*_STOPS_ON_ABORT$/.test(name) && value !== 'on' && value !== 'off')
    .map(([name]) => `${name} must be on or off`);
}
