import { VisuallyHidden } from '@mantine/core';
import type { ProviderState } from '../../gql/graphql';
import classes from './model-list.module.css';

export const stateWords: Record<ProviderState, string> = {
  HEALTHY: 'answers',
  DEGRADED: 'failed recently',
  DOWN: 'is paused after repeated failures',
};

interface ProviderDotsProps {
  /** What was measured of a provider, to stand behind its name. */
  describeMeasures: (provider: string) => string;
  routes: readonly { readonly provider: string; readonly upstreamModel: string; readonly state: ProviderState }[];
}

/** Who answers, first choice first, each with how it has done lately and in the last 30 days. */
export function ProviderDots({ routes, describeMeasures }: ProviderDotsProps) {
  return (
    <ul className={classes.dots}>
      {routes.map(({ provider, upstreamModel, state }) => (
        <li
          key={`${provider}/${upstreamModel}`}
          className={classes.dot}
          data-state={state}
          title={`${provider} ${stateWords[state]}; its name there is ${upstreamModel}`}
        >
          {provider}
          <span className={classes.measure}>{describeMeasures(provider)}</span>
          {state !== 'HEALTHY' && <VisuallyHidden> {stateWords[state]}</VisuallyHidden>}
        </li>
      ))}
    </ul>
  );
}
