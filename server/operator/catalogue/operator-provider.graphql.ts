import { IsBoolean, IsInt, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver } from 'type-graphql';
import { Secret } from '../../kernel/secret.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import {
  OperatorCatalogueStandingType,
  OperatorProviderFiguresType,
  OperatorProviderKeyType,
  OperatorProviderTrialType,
  setInWords,
} from './operator-provider-type.graphql.js';
import type { ProviderDesk } from './provider-desk.js';

const reasonWords = 'Why: 3 to 191 characters, for the operators’ log.';
type Listed = ReturnType<ProviderDesk['list']>[number];

@ObjectType('OperatorProvider', { description: 'A provider, where it is set, and how it does in this process.' })
class OperatorProviderType {
  @Field(() => ID, { description: 'The part before the slash in routes.' })
  id!: string;

  @Field(() => String, { description: 'As people write it.' })
  name!: string;

  @Field(() => setInWords, { description: 'Where it is set.' })
  setIn!: Listed['setIn'];

  @Field(() => String, { nullable: true, description: 'Where it is called; null: it lives in the server.' })
  address!: string | null;

  @Field(() => Boolean, { description: 'Whether an operator has switched it off.' })
  isSwitchedOff!: boolean;

  @Field(() => Int, { nullable: true, description: 'Its place, the lowest first; null: as the price list says.' })
  rank!: number | null;

  @Field(() => Boolean, { description: 'Whether it answers any model now.' })
  isOn!: boolean;

  @Field(() => [ID], { description: 'The models that it answers.' })
  models!: readonly string[];

  @Field(() => [OperatorProviderKeyType], { description: 'Its keys. Those of the database replace others.' })
  keys!: OperatorProviderKeyType[];

  @Field(() => String, { description: 'healthy, degraded or down, as the process that answers has seen it.' })
  state!: string;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the first of its circuits that are open for all is tried again; null: none is.',
  })
  retryAt!: number | null;

  @Field(() => OperatorProviderFiguresType, { description: 'How its last attempts went.' })
  figures!: OperatorProviderFiguresType;
}

@InputType('OperatorProviderInput', {
  description: 'What is to be set of a provider; what is left out, or null, stays.',
})
class OperatorProviderInput {
  @MaxLength(60)
  @Field(() => ID, { description: 'Its name in routes. A new one is a provider of your own.' })
  id!: string;

  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, { nullable: true, description: 'Whether it may be called.' })
  isOn?: boolean | null;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000)
  @Field(() => Int, { nullable: true, description: 'Its place, the lowest first; 0: behind those that have one.' })
  rank?: number | null;

  @IsOptional()
  @MaxLength(60)
  @Field(() => String, { nullable: true, description: 'As people write it; for a provider of your own.' })
  name?: string | null;

  @IsOptional()
  @MaxLength(60)
  @Field(() => String, {
    nullable: true,
    description: 'Its dialect: openai, anthropic, gemini, or that of a built-in provider; for one of your own.',
  })
  adapter?: string | null;

  @IsOptional()
  @MaxLength(2_048)
  @Field(() => String, { nullable: true, description: 'Where it listens; for a provider of your own.' })
  address?: string | null;

  @ReasonField(reasonWords)
  reason!: string;
}

@InputType('OperatorProviderKeyInput', { description: 'A key that a provider is to be called with.' })
class OperatorProviderKeyInput {
  @MaxLength(60)
  @Field(() => ID, { description: 'The provider.' })
  providerId!: string;

  @MaxLength(4_000)
  @Field(() => String, { description: 'The key. It is sealed by SECRETS_KEY, and never shown again.' })
  secret!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  @Field(() => Int, {
    nullable: true,
    description: 'Its share of the calls, relative to the other keys; left out, or null: 1.',
  })
  weight?: number | null;

  @IsOptional()
  @Matches(/^pvk_\w{26}$/, { message: 'replaces is the id of a key such as pvk_01K….' })
  @Field(() => ID, { nullable: true, description: 'A key that it takes the place of, in one transaction; null: none.' })
  replaces?: string | null;

  @ReasonField(reasonWords)
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorProviderQueries {
  constructor(private readonly desk: ProviderDesk) {}

  @FieldResolver(() => [OperatorProviderType], {
    description: 'Every provider that is known; those that answer first.',
  })
  providers(): OperatorProviderType[] {
    return this.desk.list().map(toProvider);
  }

  @FieldResolver(() => OperatorCatalogueStandingType, { description: 'How far this process is with changes.' })
  catalogueStanding(): OperatorCatalogueStandingType {
    return this.desk.findStanding();
  }
}

/** What operators set of providers while servers run. Every instance takes it over within seconds. */
@Resolver(() => OperatorMutationType)
export class OperatorProviderMutations {
  constructor(private readonly desk: ProviderDesk) {}

  @FieldResolver(() => OperatorProviderType, {
    description: 'Switches a provider on or off, moves it, or adds one of your own. Running calls keep theirs.',
  })
  async setProvider(
    @Arg('input', () => OperatorProviderInput, { description: 'What, and why.' }) input: OperatorProviderInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorProviderType> {
    const { id, isOn, rank, name, adapter, address, reason } = input;
    const change = {
      ...(isOn == null ? {} : { isOn }),
      ...(rank == null ? {} : { rank: rank === 0 ? null : rank }),
      ...(name == null ? {} : { name }),
      ...(adapter == null ? {} : { adapter }),
      ...(address == null ? {} : { address }),
    };
    return toProvider(await (await this.#deskOf(context)).set(id, change, reason));
  }

  @FieldResolver(() => Boolean, {
    description: 'Takes out what the database has of a provider, its keys too. What file and environment say stays.',
  })
  async removeProvider(
    @Arg('id', () => ID, { description: 'The provider.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await (await this.#deskOf(context)).remove(id, reason);
    return true;
  }

  @FieldResolver(() => ID, { description: 'Keeps a key of a provider, sealed, or replaces one. Its id.' })
  async addProviderKey(
    @Arg('input', () => OperatorProviderKeyInput, { description: 'Which, and why.' }) input: OperatorProviderKeyInput,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    const { providerId, secret, weight, replaces, reason } = input;
    const key = { providerId, secret: new Secret(secret), weight: weight ?? 1, replaces: replaces ?? null };
    return (await this.#deskOf(context)).addKey(key, reason);
  }

  @FieldResolver(() => Boolean, {
    description: 'Sets the share of the calls that a key takes, relative to the others.',
  })
  async weighProviderKey(
    @Arg('keyId', () => ID, { description: 'The key’s id.' }) keyId: string,
    @Arg('weight', () => Int, { description: '1 to 1,000.' }) weight: number,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await (await this.#deskOf(context)).weighKey(keyId, weight, reason);
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Removes a key for good. Calls that run with it go on.' })
  async removeProviderKey(
    @Arg('keyId', () => ID, { description: 'The key’s id.' }) keyId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await (await this.#deskOf(context)).removeKey(keyId, reason);
    return true;
  }

  @FieldResolver(() => OperatorProviderTrialType, {
    description: 'Asks the provider for one token, which you pay and no account does. Within 30 seconds.',
  })
  async testProvider(
    @Arg('id', () => ID, { description: 'The provider; also one that is switched off.' }) id: string,
    @Arg('keyId', () => ID, { nullable: true, description: 'Which of its keys; left out, or null: the first.' })
    keyId: string | null,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorProviderTrialType> {
    return (await this.#deskOf(context)).test(id, keyId ?? null);
  }

  async #deskOf(context: OperatorContext): Promise<ProviderDesk> {
    return this.desk.by(actorOf(await requireOperator(context)));
  }
}

function toProvider({ retryAtMs, keys, ...facts }: Listed): OperatorProviderType {
  return {
    ...facts,
    retryAt: retryAtMs,
    keys: keys.map(({ coolsUntilMs, createdAtMs, ...key }) => ({
      ...key,
      coolsUntil: coolsUntilMs,
      createdAt: createdAtMs,
    })),
  };
}
