import { Arg, Field, FieldResolver, Int, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { OperatorQueryType } from '../operator-root.graphql.js';
import type { MoneyDesk, MoneyReport } from './money-desk.js';

const usageWords = { MODEL: 'model', PROVIDER: 'provider', ACCOUNT: 'account', DAY: 'day' } as const;
registerEnumType(usageWords, {
  name: 'OperatorUsageBy',
  description: 'What the use of all accounts is divided by.',
  valuesConfig: {
    MODEL: { description: 'The model, as it was asked for.' },
    PROVIDER: { description: 'Who answered.' },
    ACCOUNT: { description: 'Who paid.' },
    DAY: { description: 'The day, in UTC.' },
  },
});
type UsageBy = (typeof usageWords)[keyof typeof usageWords];

@ObjectType('OperatorMoneySums', { description: 'What moved the credits of all accounts; each is 0 or more.' })
class OperatorMoneySumsType {
  @Field(() => CreditsScalar, { description: 'Bought.' })
  sales!: bigint;

  @Field(() => CreditsScalar, { description: 'Given by gift codes and at sign-up.' })
  gifts!: bigint;

  @Field(() => CreditsScalar, { description: 'Given by operators.' })
  grants!: bigint;

  @Field(() => CreditsScalar, { description: 'Taken for refunds.' })
  refunds!: bigint;

  @Field(() => CreditsScalar, { description: 'Given again for refunds that failed.' })
  refundsReturned!: bigint;

  @Field(() => CreditsScalar, { description: 'Taken for disputes.' })
  disputes!: bigint;

  @Field(() => CreditsScalar, { description: 'Given again for disputes that were won.' })
  disputesReturned!: bigint;

  @Field(() => CreditsScalar, { description: 'Corrections in favour of accounts.' })
  added!: bigint;

  @Field(() => CreditsScalar, { description: 'Taken back by operators.' })
  takenBack!: bigint;

  @Field(() => CreditsScalar, { description: 'Charged for use, by the time it was booked.' })
  charged!: bigint;

  @Field(() => CreditsScalar, {
    description: 'Cost of use that neither reservation nor balance covered. It moves no wallet.',
  })
  absorbed!: bigint;
}

@ObjectType('OperatorMoneyDay', { description: 'A day, in UTC.' })
class OperatorMoneyDayType {
  @Field(() => DateTimeScalar, { description: 'When it begins.' })
  day!: number;

  @Field(() => CreditsScalar, { description: 'What all accounts had when it began.' })
  opening!: bigint;

  @Field(() => OperatorMoneySumsType, { description: 'What moved.' })
  sums!: OperatorMoneySumsType;

  @Field(() => CreditsScalar, { description: 'What they had when it ended; today: now, or at `summedUntil`.' })
  closing!: bigint;
}

@ObjectType('OperatorLiability', { description: 'What customers have and have not used.' })
class OperatorLiabilityType {
  @Field(() => CreditsScalar, { description: 'Unspent credits of all accounts, less their debts.' })
  total!: bigint;

  @Field(() => CreditsScalar, {
    description:
      'Usage that is charged now and is in the journal within a minute. A current `total` does not include it.',
  })
  unbookedUse!: bigint;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'null: `total` is of now. With much that was moved in the last hour, which is not summed yet: it is of this time, by the journal.',
  })
  summedUntil!: number | null;
}

@ObjectType('OperatorUsageShare', { description: 'What all accounts used, or a part of it.' })
class OperatorUsageShareType {
  @Field(() => String, { description: 'The model, provider, account’s id or day; `total` for all.' })
  name!: string;

  @Field(() => CountScalar, { description: 'How many calls.' })
  calls!: number;

  @Field(() => CountScalar, { description: 'Tokens in.' })
  promptTokens!: number;

  @Field(() => CountScalar, { description: 'Tokens out.' })
  completionTokens!: number;

  @Field(() => CreditsScalar, { description: 'Charged.' })
  charged!: bigint;

  @Field(() => CreditsScalar, { description: 'Not covered by reservation or balance.' })
  absorbed!: bigint;

  @Field(() => CreditsScalar, {
    description:
      'What providers took for it by the costs that operators have set, 1,000 credits to the dollar; all of it where `callsWithoutCost` is 0. Tokens that a provider reads from its cache for less count in full.',
  })
  cost!: bigint;

  @Field(() => CountScalar, { description: 'Calls of models whose cost is not set.' })
  callsWithoutCost!: number;

  @Field(() => CreditsScalar, {
    nullable: true,
    description: 'Charged less cost; null where a part of the cost is not known.',
  })
  margin!: bigint | null;
}

@ObjectType('OperatorUsageTotals', { description: 'Use by the hour in which calls began.' })
class OperatorUsageTotalsType {
  @Field(() => OperatorUsageShareType, { description: 'All of it.' })
  total!: OperatorUsageShareType;

  @Field(() => [OperatorUsageShareType], { description: 'The largest charges first; days in their order.' })
  groups!: readonly OperatorUsageShareType[];

  @Field(() => Int, { description: 'How many groups there are in addition.' })
  otherGroups!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'null: all of it is there. With much use in the last two hours, which are not summed yet: until then.',
  })
  summedUntil!: number | null;
}

@ObjectType('OperatorMoney', { description: 'The money of a range of days, by the journal of the ledger.' })
class OperatorMoneyType {
  @Field(() => DateTimeScalar, { description: 'From the beginning of this day, in UTC.' })
  from!: number;

  @Field(() => DateTimeScalar, { description: 'Exclusive.' })
  to!: number;

  @Field(() => CreditsScalar, { description: 'What all accounts had when it began.' })
  opening!: bigint;

  @Field(() => OperatorMoneySumsType, { description: 'What moved; opening and this come to closing.' })
  sums!: OperatorMoneySumsType;

  @Field(() => CreditsScalar, {
    description: 'What they had when it ended; now or at `summedUntil`, where it has not ended.',
  })
  closing!: bigint;

  @Field(() => [OperatorMoneyDayType], { description: 'Each day that has begun, oldest first.' })
  days!: readonly OperatorMoneyDayType[];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'null: all of it is there. Else what was moved later is missing, here, in the sums and in `closing`: with much in the last hour, which is not summed yet, and for a while after an upgrade. `monthClose` always has all.',
  })
  summedUntil!: number | null;
}

const fromWords = 'From this day on; a time is rounded down to its day in UTC.';
const toWords = 'Until this time, rounded up to the end of its day; at most 92 days.';

@Resolver(() => OperatorQueryType)
export class OperatorMoneyQueries {
  constructor(private readonly desk: MoneyDesk) {}

  @FieldResolver(() => OperatorMoneyType, {
    description: 'Sales, refunds, disputes, gifts, grants and use of a range of days, and what is owed at its ends.',
  })
  async money(
    @Arg('from', () => DateTimeScalar, { description: fromWords }) fromMs: number,
    @Arg('to', () => DateTimeScalar, { description: toWords }) toMs: number,
  ): Promise<OperatorMoneyType> {
    return toMoney(await this.desk.report({ fromMs, toMs }));
  }

  @FieldResolver(() => OperatorLiabilityType, { description: 'What customers have and have not used, now.' })
  async liability(): Promise<OperatorLiabilityType> {
    const { summedUntilMs: summedUntil, ...liability } = await this.desk.findLiability();
    return { ...liability, summedUntil };
  }

  @FieldResolver(() => String, {
    description: 'The close of a month as CSV: a line for each day and one for all, from opening to closing liability.',
  })
  monthClose(@Arg('month', () => String, { description: 'As `2026-01`.' }) month: string): Promise<string> {
    return this.desk.writeClose(month);
  }
}

/** What is divided further, only where it is asked for. */
@Resolver(() => OperatorMoneyType)
export class OperatorMoneyResolver {
  constructor(private readonly desk: MoneyDesk) {}

  @FieldResolver(() => OperatorUsageTotalsType, { description: 'What all accounts used in these days.' })
  async usage(
    @Root() { from, to }: OperatorMoneyType,
    @Arg('by', () => usageWords, { description: 'What to divide by.' }) by: UsageBy,
    @Arg('first', () => Int, { defaultValue: 25, description: 'How many groups to answer at most: 1 to 500.' })
    first: number,
  ): Promise<OperatorUsageTotalsType> {
    const { summedUntilMs: summedUntil, ...usage } = await this.desk.readUsage({ fromMs: from, toMs: to }, by, first);
    return { ...usage, summedUntil };
  }
}

function toMoney({ fromMs, toMs, days, summedUntilMs: summedUntil, ...report }: MoneyReport): OperatorMoneyType {
  return {
    ...report,
    summedUntil,
    from: fromMs,
    to: toMs,
    days: days.map(({ dayMs: day, ...rest }) => ({ day, ...rest })),
  };
}
