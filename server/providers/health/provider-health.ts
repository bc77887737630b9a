import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { UpstreamTarget } from '../provider-adapter.js';
import { AttemptFigures, type ProviderFigures } from './provider-figures.js';
import { type AttemptWatch, type BreakerSettings, RouteBreaker, type RouteState } from './route-breaker.js';

type RouteName = Pick<UpstreamTarget, 'providerId' | 'upstreamModel'>;

const unwatched: AttemptWatch = { answered: () => {}, ended: () => {} };

/** How every route of this process has done lately. Each process finds out for itself. */
export class ProviderHealth {
  // One for each route of the catalogue that was ever called.
  readonly #breakers = new Map<string, RouteBreaker>();
  readonly #figures = new AttemptFigures();

  constructor(
    private readonly settings: BreakerSettings,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Whether a call of this account may go out to this route now. */
  isCallable(route: RouteName, accountId: string): boolean {
    return this.#find(route)?.isCallable(accountId) ?? true;
  }

  /**
   * When a route with an open circuit is tried again, in milliseconds since 1970; null: it is not open.
   * @param accountId For whom; left out, for everybody.
   */
  findRetryAtMs(route: RouteName, accountId: string | null = null): number | null {
    return this.#find(route)?.findRetryAtMs(accountId) ?? null;
  }

  stateOf(route: RouteName): RouteState {
    return this.#find(route)?.state ?? 'healthy';
  }

  /** Lets one attempt of this account out, and is told how it goes; null: the route's circuit is open for it. */
  begin(route: RouteName, accountId: string): AttemptWatch | null {
    if (this.settings.failuresMax === 0) return this.#figures.watch(route.providerId, unwatched);
    const name = nameOf(route);
    let breaker = this.#breakers.get(name);
    if (breaker === undefined) {
      breaker = new RouteBreaker(route, this.settings, this.logger, this.clock);
      this.#breakers.set(name, breaker);
    }
    const watch = breaker.begin(accountId);
    return watch && this.#figures.watch(route.providerId, watch);
  }

  /** What the last attempts at a provider came to. */
  summarise(providerId: string): ProviderFigures {
    return this.#figures.summarise(providerId);
  }

  #find(route: RouteName): RouteBreaker | undefined {
    return this.#breakers.get(nameOf(route));
  }
}

function nameOf({ providerId, upstreamModel }: RouteName): string {
  return `${providerId}/${upstreamModel}`;
}
