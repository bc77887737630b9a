import { Ctx, Field, ID, Int, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { listPriceMultiplier, priceTokens } from '../kernel/token-price.js';
import { Access } from '../schema/access.js';
import type { GraphqlContext } from '../schema/graphql-context.js';
import { CreditsScalar } from '../schema/scalars.js';
import { type ProviderHealthSource, providerStates } from './health/provider-state.js';
import type { RouteState } from './health/route-breaker.js';
import type { FoundModel, ModelCatalogue } from './model-catalogue.js';

@ObjectType('ModelCapabilities', { description: 'What a model can do besides text.' })
class ModelCapabilitiesType {
  @Field(() => Boolean, { description: 'Takes images.' })
  vision!: boolean;

  @Field(() => Boolean, { description: 'Calls tools.' })
  tools!: boolean;

  @Field(() => Boolean, { description: 'Keeps to a JSON schema.' })
  jsonSchema!: boolean;

  @Field(() => Boolean, { description: 'Thinks before it answers, as hard as `reasoning_effort` says.' })
  reasoning!: boolean;
}

@ObjectType('ModelRoute', { description: 'One way to have a model answer.' })
class ModelRouteType {
  @Field(() => ID, { description: 'The provider; `provider/model` asks for this one.' })
  provider!: string;

  @Field(() => String, { description: 'The provider’s own name of the model.' })
  upstreamModel!: string;

  @Field(() => providerStates, { description: 'How it has done lately.' })
  state!: RouteState;
}

// The names on the wire stand on the left.
const modelEndpoints = { CHAT: 'chat', EMBEDDINGS: 'embeddings' } as const;
type ModelEndpoint = (typeof modelEndpoints)[keyof typeof modelEndpoints];

registerEnumType(modelEndpoints, {
  name: 'ModelEndpoint',
  description: 'What a model is asked for.',
  valuesConfig: {
    CHAT: { description: 'Answers: `/chat/completions`, `/responses`, `/completions` and `/messages`.' },
    EMBEDDINGS: { description: 'Vectors of texts: `/embeddings`. Only the texts are billed.' },
  },
});

@ObjectType('Model', { description: 'A model that can be called now.' })
class ModelType {
  @Field(() => ID, { description: 'The name to send as `model`.' })
  id!: string;

  @Field(() => String, { description: 'The price tier: `lower` or `higher`.' })
  tier!: string;

  @Field(() => modelEndpoints, { description: 'What it is asked for.' })
  endpoint!: ModelEndpoint;

  @Field(() => CreditsScalar, {
    description:
      'The price of 1,000 tokens, of the prompt or of the answer, for the account that asks; without one, and for an account in no price group, the list price.',
  })
  creditsPerThousandTokens!: number;

  @Field(() => Int, {
    description: 'The tokens that prompt and answer may have together; of a model of embeddings, those of one text.',
  })
  contextTokens!: number;

  @Field(() => Int, { description: 'The tokens that the answer may have; 0 of a model of embeddings.' })
  maxOutputTokens!: number;

  @Field(() => [String], { description: 'Who can answer, first choice first. `provider/model` asks for one of them.' })
  providers!: string[];

  @Field(() => Boolean, { description: 'Whether it only pretends: an embedded provider for trying things out.' })
  isDemo!: boolean;

  @Field(() => ModelCapabilitiesType, { description: 'What it can do besides text.' })
  capabilities!: ModelCapabilitiesType;

  @Field(() => [ModelRouteType], { description: 'The ways to have it answer, first choice first.' })
  routes!: ModelRouteType[];
}

@Resolver()
export class ModelsResolver {
  constructor(
    private readonly catalogue: Pick<ModelCatalogue, 'models'>,
    private readonly health: ProviderHealthSource,
    private readonly prices: { find(accountId: string): number | Promise<number> },
  ) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => [ModelType], { description: 'The models that can be called now, at the caller’s price. Public.' })
  async models(@Ctx() { viewer }: GraphqlContext): Promise<ModelType[]> {
    const priceMultiplier = viewer === null ? listPriceMultiplier : await this.prices.find(viewer.accountId);
    return this.catalogue.models.map((model) => toModelType(model, this.health, priceMultiplier));
  }
}

function toModelType(model: FoundModel, health: ProviderHealthSource, priceMultiplier: number): ModelType {
  return {
    id: model.id,
    tier: model.tier,
    endpoint: model.embedding === undefined ? 'chat' : 'embeddings',
    creditsPerThousandTokens: priceTokens(1_000, { ...model, priceMultiplier }),
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens,
    providers: [...new Set(model.targets.map(({ providerId }) => providerId))],
    isDemo: model.isDemo,
    capabilities: model.capabilities,
    routes: model.targets.map((target) => ({
      provider: target.providerId,
      upstreamModel: target.upstreamModel,
      state: health.stateOf(target),
    })),
  };
}
