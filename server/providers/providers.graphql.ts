import { Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../schema/access.js';
import { DateTimeScalar } from '../schema/scalars.js';
import { joinStates, type ProviderHealthSource, providerStates } from './health/provider-state.js';
import type { RouteState } from './health/route-breaker.js';
import type { FoundProvider, ModelCatalogue } from './model-catalogue.js';

@ObjectType('Provider', { description: 'A company, or a server of the operator’s own, that answers calls.' })
class ProviderType {
  @Field(() => ID, { description: 'The part before the slash in `provider/model`.' })
  id!: string;

  @Field(() => String, { description: 'As people write it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether it only pretends: an embedded provider for trying things out.' })
  isDemo!: boolean;

  @Field(() => providerStates, { description: 'How it has done lately.' })
  state!: RouteState;

  @Field(() => [ID], { description: 'The models that it answers.' })
  models!: string[];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the first of its circuits that are open for all is tried again; null: none is.',
  })
  retryAt!: number | null;
}

@Resolver()
export class ProvidersResolver {
  constructor(
    private readonly catalogue: Pick<ModelCatalogue, 'providers'>,
    private readonly health: ProviderHealthSource,
  ) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => [ProviderType], { description: 'The providers that can be called now, and how they do. Public.' })
  providers(): ProviderType[] {
    return this.catalogue.providers.map((provider) => toProviderType(provider, this.health));
  }
}

function toProviderType({ id, name, isDemo, routes }: FoundProvider, health: ProviderHealthSource): ProviderType {
  const retryTimes = routes.map(({ target }) => health.findRetryAtMs(target)).filter((atMs) => atMs !== null);
  return {
    id,
    name,
    isDemo,
    state: joinStates(routes.map(({ target }) => health.stateOf(target))),
    models: [...new Set(routes.map(({ modelId }) => modelId))],
    retryAt: retryTimes.length === 0 ? null : Math.min(...retryTimes),
  };
}
