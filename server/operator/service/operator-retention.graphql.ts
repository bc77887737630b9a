import { IsInt, IsOptional } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, InputType, Int, ObjectType, Resolver } from 'type-graphql';
import { retentionDaysMax, retentionDaysMin } from '../../kernel/settings/retention-days.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { RetentionDesk } from './retention-desk.js';

const daysWords = 'Receipts are removed so many days after the end of their month; null: never.';

type RetentionChoice = NonNullable<Awaited<ReturnType<RetentionDesk['findStanding']>>['choice']>;

@ObjectType('OperatorRetentionChoice', { description: 'For how long receipts are kept, as an operator has chosen.' })
class OperatorRetentionChoiceType {
  @Field(() => Int, { nullable: true, description: daysWords })
  days!: number | null;

  @Field(() => DateTimeScalar, { description: 'From when on.' })
  inForceAt!: number;

  @Field(() => String, { description: 'Why.' })
  reason!: string;

  @Field(() => String, { description: 'Who chose it.' })
  createdBy!: string;

  @Field(() => DateTimeScalar, { description: 'When it was chosen.' })
  createdAt!: number;
}

@ObjectType('OperatorKeptData', { description: 'Something else that is stored of accounts and their calls.' })
class OperatorKeptDataType {
  @Field(() => String, { description: 'What.' })
  what!: string;

  @Field(() => Int, { nullable: true, description: 'For how many days; 0: for less than one; null: for ever.' })
  days!: number | null;

  @Field(() => String, { description: 'What else is to be known of it.' })
  words!: string;
}

@ObjectType('OperatorDataRetention', { description: 'For how long what is stored.' })
class OperatorDataRetentionType {
  @Field(() => Int, { nullable: true, description: daysWords })
  receiptDays!: number | null;

  @Field(() => OperatorRetentionChoiceType, {
    nullable: true,
    description: 'Who has chosen that; null: nobody, and `RETENTION_DAYS` of the servers says it.',
  })
  choice!: OperatorRetentionChoiceType | null;

  @Field(() => OperatorRetentionChoiceType, {
    nullable: true,
    description: 'What is chosen, and not in force yet; another choice takes its place.',
  })
  next!: OperatorRetentionChoiceType | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Of when the oldest receipt is; null: there is none.' })
  oldestReceiptAt!: number | null;

  @Field(() => Boolean, {
    description: 'Whether this server writes receipts to files before it removes them (`RETENTION_EXPORT_DIR`).',
  })
  isExported!: boolean;

  @Field(() => [OperatorKeptDataType], { description: 'What else is stored, for times that nobody chooses here.' })
  others!: readonly OperatorKeptDataType[];
}

@InputType('OperatorReceiptRetentionInput', { description: 'For how long receipts are kept from now on.' })
class OperatorReceiptRetentionInput {
  @IsOptional()
  @IsInt()
  @Field(() => Int, {
    nullable: true,
    description: `For so many days after the end of their month: ${retentionDaysMin} to ${retentionDaysMax}. Left out, or null: for ever.`,
  })
  days?: number | null;

  @ReasonField()
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorRetentionQueries {
  constructor(private readonly desk: RetentionDesk) {}

  @FieldResolver(() => OperatorDataRetentionType, { description: 'For how long what is stored here.' })
  async dataRetention(): Promise<OperatorDataRetentionType> {
    const { desk } = this;
    const [{ days, choice, next }, oldestMs] = await Promise.all([desk.findStanding(), desk.findOldestReceiptMs()]);
    return {
      receiptDays: days,
      choice: choice && toChoice(choice),
      next: next && toChoice(next),
      oldestReceiptAt: oldestMs,
      isExported: desk.isExported,
      others: desk.others,
    };
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorRetentionMutations {
  constructor(private readonly desk: RetentionDesk) {}

  @FieldResolver(() => Boolean, {
    description:
      'Chooses for how long receipts of calls are kept, on every server. A longer time is in force at once, a shorter one after 24 hours: what is removed does not come back. Balances, the journal and sums of use stay.',
  })
  async setReceiptRetention(
    @Arg('input', () => OperatorReceiptRetentionInput, { description: 'For how long, and why.' })
    { days, reason }: OperatorReceiptRetentionInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).choose(days ?? null, reason);
    return true;
  }
}

function toChoice({ days, inForceAtMs, reason, createdBy, createdAtMs }: RetentionChoice): OperatorRetentionChoiceType {
  return { days, inForceAt: inForceAtMs, reason, createdBy, createdAt: createdAtMs };
}
