import { Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { CreditsScalar } from '../graphql/scalars.js';
import type { FoundModel, ModelCatalogue } from './model-catalogue.js';

@ObjectType('Model', { description: 'A model that can be called now.' })
class ModelType {
  @Field(() => ID, { description: 'The name to send as `model`.' })
  id!: string;

  @Field(() => String, { description: 'The price tier: `lower` or `higher`.' })
  tier!: string;

  @Field(() => CreditsScalar, { description: 'The price of 1,000 tokens, of the prompt or of the answer.' })
  creditsPerThousandTokens!: number;

  @Field(() => Int, { description: 'The tokens that prompt and answer may have together.' })
  contextTokens!: number;

  @Field(() => Int, { description: 'The tokens that the answer may have.' })
  maxOutputTokens!: number;

  @Field(() => [String], { description: 'Who can answer, first choice first. `provider/model` asks for one of them.' })
  providers!: string[];

  @Field(() => Boolean, { description: 'Whether it only pretends: an embedded provider for trying things out.' })
  isDemo!: boolean;
}

@Resolver()
export class ModelsResolver {
  constructor(private readonly catalogue: Pick<ModelCatalogue, 'models'>) {}

  @Query(() => [ModelType], { description: 'The models that can be called now. Public.' })
  models(): ModelType[] {
    return this.catalogue.models.map(toModelType);
  }
}

function toModelType(model: FoundModel): ModelType {
  return {
    id: model.id,
    tier: model.tier,
    creditsPerThousandTokens: model.millicreditsPerToken * 1_000,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens,
    providers: [...new Set(model.targets.map(({ providerId }) => providerId))],
    isDemo: model.isDemo,
  };
}
