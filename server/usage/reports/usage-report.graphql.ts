import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, IsOptional, MaxLength, ValidateNested } from 'class-validator';
import { Arg, Ctx, Field, ID, InputType, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { Access, everybody } from '../../schema/access.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { callOutcomes } from '../requests/call-outcome-type.js';
import type { CallRecord } from '../requests/call-reader.js';
import type { UsageSums } from '../sums/usage-sums.js';
import { ReportTimeInput, usageBuckets } from './report-time.graphql.js';
import type { UsageBucket } from './usage-buckets.js';
import type { UsageFilter, UsageGroup, UsageReporter } from './usage-report.js';

const usageGroupings = {
  NONE: 'none',
  MODEL: 'model',
  PROVIDER: 'provider',
  API_KEY: 'api_key',
  TAG: 'tag',
  END_USER: 'end_user',
  STATUS: 'status',
} as const;
type UsageGrouping = (typeof usageGroupings)[keyof typeof usageGroupings];
registerEnumType(usageGroupings, {
  name: 'UsageGrouping',
  description: 'What a usage report is divided by.',
  valuesConfig: {
    NONE: { description: 'Nothing: one group of everything.' },
    MODEL: { description: 'The model that was asked for.' },
    PROVIDER: { description: 'The provider that answered.' },
    API_KEY: { description: 'The API key that was used, by its id; `playground` for calls without one.' },
    TAG: { description: 'What the caller marked the call with. Reads the receipts of at most 100,000 calls.' },
    END_USER: { description: 'Who of the caller’s own users asked. Reads the receipts of at most 100,000 calls.' },
    STATUS: { description: 'How the call ended, as `CallOutcome`. Reads the receipts of at most 100,000 calls.' },
  },
});

const valuesMax = 100;
const valueLengthMax = 191;
const valuesRule = `Name 1 to ${valuesMax} of them, or leave the field out for all.`;

/** Values of which one has to fit; left out: all do. */
function ValuesField(type: typeof ID | typeof String, description: string): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    ArrayMinSize(1, { message: valuesRule })(target, property);
    ArrayMaxSize(valuesMax, { message: valuesRule })(target, property);
    MaxLength(valueLengthMax, { each: true })(target, property);
    Field(() => [type], { nullable: true, description })(target, property);
  };
}

@InputType('UsageFilter', { description: 'Which use is wanted: what fits all that is given.' })
export class UsageFilterInput {
  @ValuesField(ID, 'Calls with the keys of these ids, 1 to 100; `playground` means calls without one.')
  apiKeyIds?: string[] | null;

  @ValuesField(String, 'Calls that asked for one of these models, 1 to 100.')
  models?: string[] | null;

  @ValuesField(String, 'Calls that one of these providers answered, 1 to 100.')
  providers?: string[] | null;

  @ValuesField(
    String,
    'Calls marked with one of these tags, 1 to 100; an empty one means none. Reads the receipts of at most 100,000 calls.',
  )
  tags?: string[] | null;

  @ValuesField(
    String,
    'Calls of one of these end users, 1 to 100; an empty one means none. Reads the receipts of at most 100,000 calls.',
  )
  endUsers?: string[] | null;

  @IsOptional()
  @ArrayMinSize(1, { message: valuesRule })
  @ArrayUnique({ message: 'Name each of them once.' })
  @IsIn(Object.values(callOutcomes), { each: true })
  @Field(() => [callOutcomes], {
    nullable: true,
    description: 'Calls that ended in one of these ways. Reads the receipts of at most 100,000 calls.',
  })
  outcomes?: CallRecord['outcome'][] | null;
}

@InputType({ description: 'Which use to report.' })
class UsageInput extends ReportTimeInput {
  @IsIn(Object.values(usageBuckets))
  @Field(() => usageBuckets, { description: 'The length of each stretch; at most 1,000 of them.' })
  bucket!: UsageBucket;

  @IsIn(Object.values(usageGroupings), { each: true })
  @ArrayUnique({ message: 'Name each of them once.' })
  @Field(() => [usageGroupings], {
    defaultValue: ['none'],
    description: 'What to divide by: one, or several at once, such as `[MODEL, API_KEY]`.',
  })
  groupBy!: UsageGrouping[];

  @IsOptional()
  @ValidateNested()
  @Field(() => UsageFilterInput, { nullable: true, description: 'Which calls count; left out: all.' })
  filter?: UsageFilterInput | null;
}

@ObjectType('UsageSums', { description: 'What was used in some stretch of time.' })
export class UsageSumsType {
  @Field(() => CountScalar, { description: 'Calls that have ended.' })
  calls!: number;

  @Field(() => CountScalar, {
    description: 'Those of them whose caller did not get a whole answer through no doing of their own.',
  })
  failedCalls!: number;

  @Field(() => CountScalar, { description: 'Tokens of the conversations that were sent.' })
  promptTokens!: number;

  @Field(() => CountScalar, { description: 'Tokens of the answers.' })
  completionTokens!: number;

  @Field(() => CountScalar, {
    nullable: true,
    description:
      'Of the prompts’ tokens, those that providers said they read from their caches; null: not known of all of these calls, since older hours were not summed so.',
  })
  cachedTokens!: number | null;

  @Field(() => CountScalar, {
    nullable: true,
    description: 'Of the answers’ tokens, those that providers said were reasoned; null: as for `cachedTokens`.',
  })
  reasoningTokens!: number | null;

  @Field(() => CreditsScalar, { description: 'What they cost.' })
  charged!: number;
}

@ObjectType('UsageBucketSums', { description: 'One stretch of a usage report.' })
class UsageBucketSumsType {
  @Field(() => DateTimeScalar, { description: 'When it begins; the first one where the report does.' })
  start!: number;

  @Field(() => UsageSumsType, { description: 'What was used in it; zeros when nothing was.' })
  sums!: UsageSumsType;
}

/** What is common to the calls of a group. */
@ObjectType()
export abstract class GroupValuesFields {
  @Field(() => String, { nullable: true, description: 'The model; null when the report is not divided by it.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider; null when the report is not divided by it.' })
  provider!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the API key, or `playground`; null when the report is not divided by it.',
  })
  apiKeyId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The tag, empty for calls without one; null when the report is not divided by it.',
  })
  tag!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The end user, empty for calls without one; null when the report is not divided by it.',
  })
  endUser!: string | null;

  @Field(() => callOutcomes, {
    nullable: true,
    description: 'How the calls ended; null when the report is not divided by it.',
  })
  outcome!: CallRecord['outcome'] | null;
}

@ObjectType('UsageGroup', { description: 'One part of a divided usage report.' })
class UsageGroupType extends GroupValuesFields {
  @Field(() => String, {
    description:
      'The model, the provider, the id of the API key, the tag, the end user or the outcome; of several, each in the order asked for, with ` / ` between. Empty when nothing is divided.',
  })
  key!: string;

  @Field(() => UsageSumsType, { description: 'Over the whole time.' })
  sums!: UsageSumsType;

  @Field(() => [UsageSumsType], { description: 'One for each bucket of the report, in its order.' })
  buckets!: UsageSumsType[];
}

@ObjectType('UsageReport', { description: 'What an account has used. Its total is what the ledger charged.' })
class UsageReportType {
  @Field(() => UsageSumsType, { description: 'Over the whole time.' })
  total!: UsageSumsType;

  @Field(() => [UsageBucketSumsType], { description: 'Oldest first, those without use included.' })
  buckets!: UsageBucketSumsType[];

  @Field(() => [UsageGroupType], { description: 'The dearest first; those without use are left out.' })
  groups!: UsageGroupType[];
}

@Resolver()
export class UsageReportResolver {
  constructor(private readonly reporter: Pick<UsageReporter, 'report'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => UsageReportType, { description: 'What the account has used, summed over stretches of time.' })
  async usage(
    @Arg('input', () => UsageInput, { description: 'Which use to report.' }) input: UsageInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageReportType> {
    const { accountId } = requireViewer(context);
    const { from: fromMs, to: toMs, exact: isExact, bucket, groupBy: groupings } = input;
    const filter = toUsageFilter(input.filter ?? {});
    const report = await this.reporter.report({ accountId, fromMs, toMs, isExact, bucket, groupings, filter });
    return {
      total: toSumsType(report.total),
      buckets: report.buckets.map(({ startMs, sums }) => ({ start: startMs, sums: toSumsType(sums) })),
      groups: report.groups.map(toGroupType),
    };
  }
}

/** The filter of a question as the reporter has it. */
export function toUsageFilter(filter: UsageFilterInput): UsageFilter {
  const { apiKeyIds, models, providers, tags, endUsers, outcomes } = filter;
  return {
    ...(apiKeyIds && { api_key: apiKeyIds }),
    ...(models && { model: models }),
    ...(providers && { provider: providers }),
    ...(tags && { tag: tags }),
    ...(endUsers && { end_user: endUsers }),
    ...(outcomes && { status: outcomes }),
  };
}

function toGroupType({ values, sums, buckets }: UsageGroup): UsageGroupType {
  return {
    key: Object.values(values).join(' / '),
    ...toGroupValues(values),
    sums: toSumsType(sums),
    buckets: buckets.map(toSumsType),
  };
}

/** The values of a group by their names in the schema. */
export function toGroupValues(values: UsageGroup['values']): GroupValuesFields {
  return {
    model: values.model ?? null,
    provider: values.provider ?? null,
    apiKeyId: values.api_key ?? null,
    tag: values.tag ?? null,
    endUser: values.end_user ?? null,
    outcome: (values.status as CallRecord['outcome'] | undefined) ?? null,
  };
}

/** Sums by their names in the schema. */
export function toSumsType({ chargedMillicredits, toldCalls, ...counts }: UsageSums): UsageSumsType {
  const parts = toldCalls === counts.calls ? {} : { cachedTokens: null, reasoningTokens: null };
  return { ...counts, ...parts, charged: chargedMillicredits };
}
