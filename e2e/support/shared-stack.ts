import { findShared, type Shared } from './shared-process.js';

/**
 * The server that journeys share which need nothing but accounts of their own: usual settings, on SQLite, never stopped. What
 * is not an account's is everybody's: no journey here may change it, or fail when another has.
 */
export function useSharedStack(): Shared['server'] {
  let found: Shared['server'] | null = null;
  beforeAll(async () => {
    found = await findShared('server');
  });
  const get = () => {
    if (found === null) throw new Error('The server can be asked inside tests only.');
    return found;
  };
  return {
    get baseUrl() {
      return get().baseUrl;
    },
    get file() {
      return get().file;
    },
  };
}
