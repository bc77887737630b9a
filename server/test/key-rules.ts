import { type KeyRules, noOwnKeyRules } from '../keys/key-settings.js';

/** Rules for keys of a test: so many for each account, at most 60 requests per minute, and the demo models. */
export function keyRules(keysPerAccountMax: number): KeyRules {
  return {
    keysPerAccountMax,
    requestsPerMinute: 60,
    tokensPerMinute: null,
    hasModel: (name) => ['demo-small', 'demo-large'].includes(name),
    hasProvider: (id) => id === 'demo',
    findOwn: () => noOwnKeyRules,
  };
}
