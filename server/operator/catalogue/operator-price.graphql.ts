import { IsInt, IsOptional, MaxLength, MinLength } from 'class-validator';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import { setInWords } from './operator-provider-type.graphql.js';
import type { ListedVersion, PriceDesk } from './price-desk.js';

type Change = Awaited<ReturnType<PriceDesk['preview']>>[number];
type SetIn = (typeof setInWords)[keyof typeof setInWords];

const changeKinds = { ADDED: 'added', REMOVED: 'removed', CHANGED: 'changed' } as const;
registerEnumType(changeKinds, {
  name: 'OperatorPriceChangeKind',
  description: 'What becomes of a model.',
  valuesConfig: {
    ADDED: { description: 'It is offered from then on.' },
    REMOVED: { description: 'It is no longer offered.' },
    CHANGED: { description: 'Its price, tier, routes, limits or costs are others.' },
  },
});

@ObjectType('OperatorCostChange', {
  description: 'What a provider takes for a model, in dollars for a million tokens; null: it is not set.',
})
class OperatorCostChangeType {
  @Field(() => ID, { description: 'The provider.' })
  providerId!: string;

  @Field(() => Float, { nullable: true, description: 'For tokens in, before.' })
  inputBefore!: number | null;

  @Field(() => Float, { nullable: true, description: 'For tokens in, then.' })
  inputAfter!: number | null;

  @Field(() => Float, { nullable: true, description: 'For tokens out, before.' })
  outputBefore!: number | null;

  @Field(() => Float, { nullable: true, description: 'For tokens out, then.' })
  outputAfter!: number | null;
}

@ObjectType('OperatorPriceChange', { description: 'What becomes of one model that callers are offered.' })
class OperatorPriceChangeType {
  @Field(() => ID, { description: 'The model.' })
  modelId!: string;

  @Field(() => changeKinds, { description: 'What becomes of it.' })
  kind!: Change['kind'];

  @Field(() => CreditsScalar, { nullable: true, description: 'Credits for 1,000 tokens before; null: not offered.' })
  before!: number | null;

  @Field(() => CreditsScalar, { nullable: true, description: 'Credits for 1,000 tokens then; null: not offered.' })
  after!: number | null;

  @Field(() => String, { nullable: true, description: 'Its tier before.' })
  tierBefore!: string | null;

  @Field(() => String, { nullable: true, description: 'Its tier then.' })
  tierAfter!: string | null;

  @Field(() => Boolean, { description: 'Whether it is answered elsewhere, or in another order.' })
  areRoutesChanged!: boolean;

  @Field(() => Boolean, { description: 'Whether its context, output or images change.' })
  areLimitsChanged!: boolean;

  @Field(() => [OperatorCostChangeType], { description: 'Its providers that cost the operator something else then.' })
  costs!: OperatorCostChangeType[];
}

@ObjectType('OperatorPriceVersion', { description: 'Models and prices from one time on.' })
class OperatorPriceVersionType {
  @Field(() => Int, { description: 'Its number; of two from the same time on, the higher one is in force.' })
  number!: number;

  @Field(() => DateTimeScalar, { description: 'From when on.' })
  effectiveAt!: number;

  @Field(() => DateTimeScalar, { description: 'When it was set.' })
  createdAt!: number;

  @Field(() => String, { description: 'Who set it.' })
  createdBy!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was taken back; null: it was not.' })
  withdrawnAt!: number | null;

  @Field(() => Boolean, { description: 'Whether it is in force now.' })
  isInForce!: boolean;
}

@ObjectType('OperatorPricedModel', { description: 'A model that callers are offered now.' })
class OperatorPricedModelType {
  @Field(() => ID, { description: 'Its public name.' })
  id!: string;

  @Field(() => String, { description: 'Its tier.' })
  tier!: string;

  @Field(() => CreditsScalar, { description: 'Credits for 1,000 tokens.' })
  creditsPerThousandTokens!: number;

  @Field(() => setInWords, { description: 'Where its price is set.' })
  setIn!: SetIn;
}

@ObjectType('OperatorPrices', { description: 'Models and prices, and where they are set.' })
class OperatorPricesType {
  @Field(() => [OperatorPriceVersionType], { description: 'The newest 50 versions, the newest first.' })
  versions!: OperatorPriceVersionType[];

  @Field(() => String, { description: 'The text that is in force; empty: only what the files say.' })
  document!: string;
}

@ObjectType('OperatorAppliedPrices', { description: 'Prices that were set.' })
class OperatorAppliedPricesType {
  @Field(() => Int, { description: 'The number of the version.' })
  number!: number;

  @Field(() => DateTimeScalar, { description: 'From when on.' })
  effectiveAt!: number;

  @Field(() => [OperatorPriceChangeType], { description: 'What it changes for callers.' })
  changes!: OperatorPriceChangeType[];
}

@InputType('OperatorPricePreviewInput', { description: 'Models and prices to preview.' })
class OperatorPricePreviewInput {
  @MinLength(1)
  @MaxLength(60_000)
  @Field(() => String, {
    description: '`tiers` and `models` as `tollgate.yaml` has them; a known model needs no routes.',
  })
  document!: string;

  @IsOptional()
  @IsInt()
  @Field(() => DateTimeScalar, { nullable: true, description: 'From when on; left out, or null: now.' })
  effectiveAt?: number | null;
}

@InputType('OperatorPricesInput', { description: 'Models and prices that are to be in force.' })
class OperatorPricesInput extends OperatorPricePreviewInput {
  @ReasonField('Why: 3 to 191 characters, for the operators’ log.')
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorPriceQueries {
  constructor(private readonly desk: PriceDesk) {}

  @FieldResolver(() => OperatorPricesType, { description: 'Models and prices, and where they are set.' })
  async prices(): Promise<OperatorPricesType> {
    const { versions, document } = await this.desk.list();
    return { versions: versions.map(toVersion), document };
  }

  @FieldResolver(() => [OperatorPriceChangeType], {
    description: 'What prices would change for callers, and of what models cost; nothing is changed.',
  })
  async previewPrices(
    @Arg('input', () => OperatorPricePreviewInput, { description: 'What, and from when on.' })
    { document, effectiveAt }: OperatorPricePreviewInput,
  ): Promise<OperatorPriceChangeType[]> {
    return (await this.desk.preview(document, effectiveAt ?? null)).map(toChange);
  }
}

@Resolver(() => OperatorPricesType)
export class OperatorPricesResolver {
  constructor(private readonly desk: PriceDesk) {}

  @FieldResolver(() => [OperatorPricedModelType], { description: 'What callers are offered now.' })
  async models(): Promise<OperatorPricedModelType[]> {
    const models = await this.desk.listPrices();
    return models.map(({ modelId, millicreditsPerToken, ...model }) => ({
      ...model,
      id: modelId,
      creditsPerThousandTokens: millicreditsPerToken * 1_000,
    }));
  }
}

/** What operators set of models and prices. Running calls keep the price that they were admitted with. */
@Resolver(() => OperatorMutationType)
export class OperatorPriceMutations {
  constructor(private readonly desk: PriceDesk) {}

  @FieldResolver(() => OperatorAppliedPricesType, {
    description:
      'Sets models and prices from a time on, in the place of the version before. Running calls keep theirs.',
  })
  async applyPrices(
    @Arg('input', () => OperatorPricesInput, { description: 'What, from when on, and why.' })
    { document, effectiveAt, reason }: OperatorPricesInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorAppliedPricesType> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    const { number, effectiveAtMs, changes } = await desk.apply(document, effectiveAt ?? null, reason);
    return { number, effectiveAt: effectiveAtMs, changes: changes.map(toChange) };
  }

  @FieldResolver(() => Boolean, { description: 'Takes back a version that is not in force yet.' })
  async withdrawPrices(
    @Arg('number', () => Int, { description: 'The version.' }) number: number,
    @Arg('reason', () => String, { description: 'Why: 3 to 191 characters, for the operators’ log.' }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).withdraw(number, reason);
    return true;
  }
}

function toVersion({ effectiveAtMs, createdAtMs, withdrawnAtMs, ...version }: ListedVersion): OperatorPriceVersionType {
  return { ...version, effectiveAt: effectiveAtMs, createdAt: createdAtMs, withdrawnAt: withdrawnAtMs };
}

function toChange({ before, after, costs, ...change }: Change): OperatorPriceChangeType {
  const perThousand = (millicredits: number | null) => (millicredits === null ? null : millicredits * 1_000);
  return { ...change, before: perThousand(before), after: perThousand(after), costs: costs.map(toCostChange) };
}

function toCostChange({ providerId, before, after }: Change['costs'][number]): OperatorCostChangeType {
  return {
    providerId,
    inputBefore: before?.input ?? null,
    inputAfter: after?.input ?? null,
    outputBefore: before?.output ?? null,
    outputAfter: after?.output ?? null,
  };
}
