import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { Clock } from '../../kernel/clock.js';
import { Access, everybody } from '../../schema/access.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import type { SpendingReporter } from './spending.js';

@ObjectType('ModelSpending', { description: 'What one model cost in each of the last 30 days.' })
class ModelSpendingType {
  @Field(() => String, { nullable: true, description: 'The model; null: all others together.' })
  model!: string | null;

  @Field(() => [CreditsScalar], { description: 'The cost of each of the last 30 days, oldest first.' })
  daily!: readonly number[];
}

@ObjectType('SpendingChange', {
  description: 'What was spent in two times of the same length, which both end with the same hour of a day.',
})
class SpendingChangeType {
  @Field(() => Int, { description: 'How many days, the present one included: 1, 7 or 30.' })
  days!: number;

  @Field(() => CreditsScalar, { description: 'The cost of these days up to `comparedUntil`.' })
  spent!: number;

  @Field(() => CreditsScalar, {
    description: 'The cost of as many days before, up to the same hour of their last one.',
  })
  before!: number;
}

@ObjectType('Spending', {
  description: 'What the account spends, in few figures. Days are those of UTC, and the last one is today.',
})
class SpendingType {
  @Field(() => DateTimeScalar, { description: 'When the first day of `daily` begins.' })
  from!: number;

  @Field(() => [CreditsScalar], { description: 'The cost of each of the last 60 days, oldest first.' })
  daily!: readonly number[];

  @Field(() => [ModelSpendingType], {
    description:
      'The last 30 days by model: the six most expensive, then all others as one. Those that cost nothing are left out.',
  })
  models!: readonly ModelSpendingType[];

  @Field(() => DateTimeScalar, { description: 'When the last whole hour ended, with which `changes` end.' })
  comparedUntil!: number;

  @Field(() => [SpendingChangeType], { description: 'The last day, 7 and 30 days, compared with those before.' })
  changes!: readonly SpendingChangeType[];

  @Field(() => CountScalar, { description: 'Calls of the last 30 days that have ended.' })
  calls!: number;

  @Field(() => CountScalar, {
    description: 'Those of them whose caller did not get a whole answer through no doing of their own.',
  })
  failedCalls!: number;

  @Field(() => CountScalar, {
    nullable: true,
    description:
      'Those of the failed calls that were charged for what had been delivered; the others were free. Null when there were more than 10,000 calls.',
  })
  chargedFailures!: number | null;
}

@Resolver()
export class SpendingResolver {
  constructor(
    private readonly reporter: Pick<SpendingReporter, 'report'>,
    private readonly clock: Clock,
  ) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => SpendingType, { description: 'What the account spends: the last 60 days, and the last 30 by model.' })
  async spending(@Ctx() context: GraphqlContext): Promise<SpendingType> {
    const { accountId } = requireViewer(context);
    const { fromMs, comparedUntilMs, ...spending } = await this.reporter.report(accountId, this.clock.nowMs());
    return { from: fromMs, comparedUntil: comparedUntilMs, ...spending };
  }
}
