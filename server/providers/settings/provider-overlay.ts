import type { KeyRing } from '../key-ring.js';
import type { FileProvider } from './tollgate-file.js';

/** What the operator has set of providers while servers run; it lies over the settings and the file. */
export interface ProviderOverlay {
  /** Providers that neither the file nor the built-in catalogue knows. */
  readonly providers: readonly FileProvider[];
  /** Provider id -> its keys, which stand before the one of the settings. */
  readonly keys: ReadonlyMap<string, KeyRing>;
  /** Ids of those that are switched off. */
  readonly off: ReadonlySet<string>;
  /** Provider id -> its place, the lowest first. */
  readonly ranks: ReadonlyMap<string, number>;
}
