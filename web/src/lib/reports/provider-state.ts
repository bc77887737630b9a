import type { ProviderState } from '../../gql/graphql';

/** How a provider does now, in words and in the colour that they have. */
export const stateBadges: Readonly<
  Record<ProviderState, { readonly color: 'pine' | 'amber' | 'red'; readonly words: string }>
> = {
  HEALTHY: { color: 'pine', words: 'Up' },
  DEGRADED: { color: 'amber', words: 'Failed recently' },
  DOWN: { color: 'red', words: 'Paused after failures' },
};
