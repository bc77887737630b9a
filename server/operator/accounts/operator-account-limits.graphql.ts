import { ArrayMaxSize, IsInt, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { AccountLimitDesk } from './account-limit-desk.js';
import { OperatorAccountType } from './operator-account-type.graphql.js';

@ObjectType('OperatorAccountLimits', { description: 'Limits of one account in place of the server’s.' })
class OperatorAccountLimitsType {
  @Field(() => Int, { nullable: true, description: 'Requests in any 60 seconds; null: as many as every account.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens in any 60 seconds; null: as many as every account.' })
  tokensPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Calls at once on each process; null: as many as every account.' })
  concurrentCalls!: number | null;

  @Field(() => Int, { nullable: true, description: 'Keys in force at the same time; null: as many as every account.' })
  keysMax!: number | null;

  @Field(() => [String], { nullable: true, description: 'Public names of the models it may call; null: all of them.' })
  models!: readonly string[] | null;
}

@InputType('OperatorAccountLimitsInput', {
  description: 'What limits an account is to have. What is left out, or null, is the server’s.',
})
class OperatorAccountLimitsInput {
  @MaxLength(191)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @IsOptional()
  @IsInt()
  @Field(() => Int, { nullable: true, description: 'Requests in any 60 seconds: 1 to 5000.' })
  requestsPerMinute?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => Int, { nullable: true, description: 'Tokens in any 60 seconds: 1 to 1000000000.' })
  tokensPerMinute?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => Int, { nullable: true, description: 'Calls at once on each process: 1 to 1000.' })
  concurrentCalls?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => Int, {
    nullable: true,
    description: 'Keys in force at the same time: 1 to 1000. Those beyond a lowered limit go on.',
  })
  keysMax?: number | null;

  @IsOptional()
  @ArrayMaxSize(100)
  @MaxLength(191, { each: true })
  @Field(() => [String], {
    nullable: true,
    description: 'Public names of the models that it may call: 1 to 100; null: all of them.',
  })
  models?: string[] | null;

  @ReasonField('Why: 3 to 191 characters, for the operators’ log.')
  reason!: string;
}

@Resolver(() => OperatorAccountType)
export class OperatorLimitsOfAccount {
  constructor(private readonly desk: AccountLimitDesk) {}

  @FieldResolver(() => OperatorAccountLimitsType, { description: 'Its limits in place of the server’s.' })
  limits(@Root() { id }: OperatorAccountType): Promise<OperatorAccountLimitsType> {
    return this.desk.find(id);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorAccountLimitsMutations {
  constructor(private readonly desk: AccountLimitDesk) {}

  @FieldResolver(() => Boolean, {
    description: 'Sets the limits of an account, all of them at once; in force on every server when it is answered.',
  })
  async setAccountLimits(
    @Arg('input', () => OperatorAccountLimitsInput, { description: 'Which account, what limits, and why.' })
    { accountId, reason, ...wanted }: OperatorAccountLimitsInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const limits = {
      requestsPerMinute: wanted.requestsPerMinute ?? null,
      tokensPerMinute: wanted.tokensPerMinute ?? null,
      concurrentCalls: wanted.concurrentCalls ?? null,
      keysMax: wanted.keysMax ?? null,
      models: wanted.models ?? null,
    };
    await this.desk.by(actorOf(await requireOperator(context))).set(accountId, limits, reason);
    return true;
  }
}
