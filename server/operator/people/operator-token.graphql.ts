import { IsIn, Max, MaxLength, Min } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorRole, operatorRoles } from '../operator-access.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType, roleWords } from '../operator-root.graphql.js';
import { actorOf } from './operator-sessions.js';
import type { OperatorTokenFacts, OperatorTokens } from './operator-tokens.js';

@ObjectType('OperatorToken', { description: 'By what a script of an operator is known.' })
class OperatorTokenType {
  @Field(() => ID, { description: 'The id.' })
  id!: string;

  @Field(() => String, { description: 'The name in the log.' })
  name!: string;

  @Field(() => roleWords, { description: 'What it may do.' })
  role!: OperatorRole;

  @Field(() => String, { description: 'Its last four characters.' })
  ending!: string;

  @Field(() => String, { description: 'The operator who made it.' })
  operatorName!: string;

  @Field(() => DateTimeScalar, { description: 'Since when.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { description: 'When it expires.' })
  expiresAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used, to the minute; null: never.' })
  lastUsedAt!: number | null;
}

@InputType('OperatorTokenInput', { description: 'A token for a script.' })
class OperatorTokenInput {
  @MaxLength(1_000)
  @Field(() => String, { description: 'The name in the log: 1 to 60 characters.' })
  name!: string;

  @IsIn(operatorRoles)
  @Field(() => roleWords, { description: 'What it may do: an owner gives any role, others their own or `read_only`.' })
  role!: OperatorRole;

  @Min(1)
  @Max(365)
  @Field(() => Int, { defaultValue: 90, description: 'For how many days it is good: 1 to 365.' })
  days!: number;

  @ReasonField('Why: 3 to 191 characters, for the operators’ log.')
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorTokenQueries {
  constructor(private readonly tokens: OperatorTokens) {}

  @FieldResolver(() => [OperatorTokenType], {
    name: 'tokens',
    description: 'Tokens for scripts, the newest first: an owner sees everybody’s, others their own.',
  })
  async list(@Ctx() context: OperatorContext): Promise<readonly OperatorTokenType[]> {
    return (await this.tokens.list(await requireOperator(context))).map(toToken);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorTokenMutations {
  constructor(private readonly tokens: OperatorTokens) {}

  @FieldResolver(() => String, {
    description:
      'Makes a token for a script, sent as `Authorization: Bearer op-tg-…`. It is shown once. It opens what scripts do, and needs no code.',
  })
  async createToken(
    @Arg('input', () => OperatorTokenInput, { description: 'What it may do, and for how long.' })
    input: OperatorTokenInput,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    const operator = await requireOperator(context);
    return this.tokens.by(actorOf(operator)).create(operator, input);
  }

  @FieldResolver(() => Boolean, { description: 'Ends a token at once: an owner anybody’s, others their own.' })
  async revokeToken(
    @Arg('id', () => ID, { description: 'The token’s id.' }) id: string,
    @Arg('reason', () => String, { description: 'Why: 3 to 191 characters, for the operators’ log.' }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const operator = await requireOperator(context);
    await this.tokens.by(actorOf(operator)).revoke(operator, id, reason);
    return true;
  }
}

function toToken({ createdAtMs, expiresAtMs, lastUsedAtMs, ...token }: OperatorTokenFacts): OperatorTokenType {
  return { ...token, createdAt: createdAtMs, expiresAt: expiresAtMs, lastUsedAt: lastUsedAtMs };
}
