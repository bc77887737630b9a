import { registerEnumType } from 'type-graphql';
import type { ProviderHealth } from './provider-health.js';
import type { RouteState } from './route-breaker.js';

/** Knows how each route has done lately. */
export type ProviderHealthSource = Pick<ProviderHealth, 'stateOf' | 'findRetryAtMs'>;

// The names on the wire stand on the left.
export const providerStates = {
  HEALTHY: 'healthy',
  DEGRADED: 'degraded',
  DOWN: 'down',
} as const satisfies Record<Uppercase<RouteState>, RouteState>;

registerEnumType(providerStates, {
  name: 'ProviderState',
  description: 'How a provider, or one route to it, has done lately, as the server that answers has seen it.',
  valuesConfig: {
    HEALTHY: { description: 'It answers.' },
    DEGRADED: {
      description:
        'It failed last time, or the circuit of a part of it is open or is open for one account alone, or it is just being tried again.',
    },
    DOWN: { description: 'It has kept failing, and its circuit is open for all.' },
  },
});

/** The state of several routes together. */
export function joinStates(states: readonly RouteState[]): RouteState {
  if (states.every((state) => state === 'healthy')) return 'healthy';
  return states.every((state) => state === 'down') ? 'down' : 'degraded';
}
