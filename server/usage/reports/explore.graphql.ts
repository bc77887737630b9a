import { ArrayMaxSize, ArrayUnique, IsBoolean, IsIn, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { Arg, Ctx, Field, InputType, Int, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { Access, everybody } from '../../schema/access.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { AnswerTimesType } from './answer-times-type.js';
import type { ExploreGroup, ExploreMetric, Explorer } from './explore.js';
import type { ExploreCell } from './explore-cells.js';
import { ExploreSeriesType } from './explore-series.graphql.js';
import { ReportTimeInput, usageBuckets } from './report-time.graphql.js';
import type { UsageBucket } from './usage-buckets.js';
import {
  GroupValuesFields,
  toGroupValues,
  toSumsType,
  toUsageFilter,
  UsageFilterInput,
  UsageSumsType,
} from './usage-report.graphql.js';
import type { UsageDimension } from './usage-report.js';

const exploreMetrics = {
  COST: 'cost',
  REQUESTS: 'requests',
  FAILURES: 'failures',
  TOKENS: 'tokens',
  INPUT_TOKENS: 'input_tokens',
  OUTPUT_TOKENS: 'output_tokens',
  TIMES: 'times',
  CACHED_TOKENS: 'cached_tokens',
  REASONING_TOKENS: 'reasoning_tokens',
} as const satisfies Record<Uppercase<ExploreMetric>, ExploreMetric>;
registerEnumType(exploreMetrics, {
  name: 'ExploreMetric',
  description: 'What is asked about: it decides which groups are the largest.',
  valuesConfig: {
    COST: { description: 'What calls cost.' },
    REQUESTS: { description: 'How many there were.' },
    FAILURES: { description: 'How many of them failed.' },
    TOKENS: { description: 'Tokens in and out.' },
    INPUT_TOKENS: { description: 'Tokens in.' },
    OUTPUT_TOKENS: { description: 'Tokens out.' },
    CACHED_TOKENS: { description: 'Of the tokens in, those from a provider’s cache.' },
    REASONING_TOKENS: { description: 'Of the tokens out, those that were reasoned.' },
    TIMES: { description: 'How quickly they were answered; the largest are those with most calls.' },
  },
});

const exploreDimensions = {
  MODEL: 'model',
  PROVIDER: 'provider',
  API_KEY: 'api_key',
  TAG: 'tag',
  END_USER: 'end_user',
  STATUS: 'status',
} as const satisfies Record<Uppercase<UsageDimension>, UsageDimension>;
registerEnumType(exploreDimensions, {
  name: 'ExploreDimension',
  description:
    'What calls are grouped by. For the last three, receipts of at most 100,000 calls are read, in addition to the sums of past hours and days.',
  valuesConfig: {
    MODEL: { description: 'The model that was asked for.' },
    PROVIDER: { description: 'The provider that answered.' },
    API_KEY: { description: 'The API key, by its id; `playground` for calls without one.' },
    TAG: { description: 'What the caller marked the call with.' },
    END_USER: { description: 'Who of the caller’s own users asked.' },
    STATUS: { description: 'How the call ended, as `CallOutcome`.' },
  },
});

@InputType({ description: 'What to explore.' })
class ExploreInput extends ReportTimeInput {
  @IsIn(Object.values(usageBuckets))
  @Field(() => usageBuckets, { description: 'The length of each stretch: at most 1,000 of them, 200 for `TIMES`.' })
  bucket!: UsageBucket;

  @IsIn(Object.values(exploreMetrics))
  @Field(() => exploreMetrics, { description: 'What is asked about.' })
  metric!: ExploreMetric;

  @IsIn(Object.values(exploreDimensions), { each: true })
  @ArrayMaxSize(2, { message: 'Divide by two things at most.' })
  @ArrayUnique({ message: 'Name each of them once.' })
  @Field(() => [exploreDimensions], { defaultValue: [], description: 'What to divide by: none, one or two.' })
  groupBy!: UsageDimension[];

  @IsOptional()
  @ValidateNested()
  @Field(() => UsageFilterInput, { nullable: true, description: 'Which calls count; left out: all.' })
  filter?: UsageFilterInput | null;

  @Min(1, { message: 'Ask for at least 1.' })
  @Max(50, { message: 'Ask for at most 50.' })
  @Field(() => Int, {
    defaultValue: 10,
    description: 'How many groups are listed, 1 to 50; all others are summed as one.',
  })
  groups!: number;

  @IsBoolean()
  @Field(() => Boolean, { defaultValue: false, description: 'Whether to tell the period before, too.' })
  previous!: boolean;

  @IsBoolean()
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to answer the newest part of a time that cannot be read whole, which `coveredFrom` tells; without it that is refused.',
  })
  partial!: boolean;
}

@ObjectType('ExploreCell', { description: 'What was used in some stretch of time.' })
class ExploreCellType {
  @Field(() => UsageSumsType, { description: 'What was used, exactly.' })
  sums!: UsageSumsType;

  @Field(() => AnswerTimesType, { nullable: true, description: 'Null unless `TIMES` were asked for.' })
  times!: AnswerTimesType | null;
}

@ObjectType('ExploreGroup', { description: 'One part of what was explored.' })
class ExploreGroupType extends GroupValuesFields {
  @Field(() => Boolean, { description: 'Whether it sums all groups that are not listed.' })
  isRest!: boolean;

  @Field(() => ExploreCellType, { description: 'Over the whole time.' })
  total!: ExploreCellType;

  @Field(() => [ExploreCellType], { description: 'One for each bucket, in their order.' })
  buckets!: ExploreCellType[];

  @Field(() => ExploreSeriesType, { description: 'The same as lists.' })
  series!: ExploreSeriesType;

  @Field(() => ExploreCellType, {
    nullable: true,
    description: 'Over the period before; null when it was not asked for.',
  })
  previous!: ExploreCellType | null;
}

@ObjectType('ExplorePeriod', {
  description:
    'As many buckets, right before those that were asked for. Where the time is `exact`, it is exactly as long, and the same hours of as few days before as can be: right before it where it is of whole days.',
})
class ExplorePeriodType {
  @Field(() => DateTimeScalar, { description: 'When it begins.' })
  from!: number;

  @Field(() => ExploreCellType, { description: 'Over its whole time.' })
  total!: ExploreCellType;

  @Field(() => [ExploreCellType], { description: 'One for each bucket, in their order.' })
  buckets!: ExploreCellType[];

  @Field(() => ExploreSeriesType, { description: 'The same as lists.' })
  series!: ExploreSeriesType;
}

@ObjectType('ExploreReport', { description: 'What an account has used, by whatever it is divided by.' })
class ExploreReportType {
  @Field(() => [DateTimeScalar], { description: 'When each bucket begins, oldest first.' })
  starts!: readonly number[];

  @Field(() => ExploreCellType, { description: 'Over the whole time.' })
  total!: ExploreCellType;

  @Field(() => [ExploreCellType], { description: 'One for each bucket, those without use included.' })
  buckets!: ExploreCellType[];

  @Field(() => ExploreSeriesType, { description: 'The same as lists.' })
  series!: ExploreSeriesType;

  @Field(() => [ExploreGroupType], { description: 'The largest first, all others together last.' })
  groups!: ExploreGroupType[];

  @Field(() => ExplorePeriodType, {
    nullable: true,
    description: 'Null when it was not asked for; with `partial` also where it cannot be read whole.',
  })
  previous!: ExplorePeriodType | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'With `partial`: where the report begins, if that is later than `from`. Null: it has the whole time.',
  })
  coveredFrom!: number | null;

  @Field(() => Boolean, { description: 'Whether there were more calls than the times are taken from.' })
  areTimesPartial!: boolean;
}

@Resolver()
export class ExploreResolver {
  constructor(private readonly explorer: Pick<Explorer, 'explore'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => ExploreReportType, {
    description: 'What the account has used, grouped by up to two things, compared with the period before.',
  })
  async explore(
    @Arg('input', () => ExploreInput, { description: 'What to explore.' }) input: ExploreInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ExploreReportType> {
    const { accountId } = requireViewer(context);
    const { from: fromMs, to: toMs, exact: isExact, bucket, metric, groupBy: groupings, groups: groupsMax } = input;
    const filter = toUsageFilter(input.filter ?? {});
    const question = { accountId, fromMs, toMs, isExact, bucket, metric, groupings, filter, groupsMax };
    const { previous: isCompared, partial: mayBePartial } = input;
    const report = await this.explorer.explore({ ...question, isCompared, mayBePartial });
    const { previous } = report;
    return {
      starts: report.starts,
      total: toCellType(report.total),
      ...toBuckets(report.buckets),
      groups: report.groups.map(toGroupType),
      previous: previous && {
        from: previous.fromMs,
        total: toCellType(previous.total),
        ...toBuckets(previous.buckets),
      },
      coveredFrom: report.coveredFromMs,
      areTimesPartial: report.areTimesPartial,
    };
  }
}

function toGroupType({ values, total, buckets, previous }: ExploreGroup): ExploreGroupType {
  return {
    isRest: values === null,
    ...toGroupValues(values ?? {}),
    total: toCellType(total),
    ...toBuckets(buckets),
    previous: previous && toCellType(previous),
  };
}

function toBuckets(cells: readonly ExploreCell[]) {
  const buckets = cells.map(toCellType);
  return { buckets, series: new ExploreSeriesType(buckets) };
}

function toCellType({ sums, times }: ExploreCell): ExploreCellType {
  return { sums: toSumsType(sums), times: times && { ...times } };
}
