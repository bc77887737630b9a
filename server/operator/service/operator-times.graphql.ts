import { Arg, Field, FieldResolver, Float, Int, ObjectType, Resolver, registerEnumType } from 'type-graphql';
import { CountScalar, DateTimeScalar } from '../../schema/scalars.js';
import { OperatorQueryType } from '../operator-root.graphql.js';

const byWords = { PROVIDER: 'provider', MODEL: 'model' } as const;
registerEnumType(byWords, {
  name: 'OperatorCallTimesBy',
  description: 'What answer times are divided by.',
  valuesConfig: {
    PROVIDER: { description: 'The provider that answered in the end.' },
    MODEL: { description: 'The model that was asked for.' },
  },
});

const lastWords = { HOUR: 'hour', DAY: 'day' } as const;
registerEnumType(lastWords, {
  name: 'OperatorCallTimesLast',
  description: 'How far back is looked.',
  valuesConfig: { HOUR: { description: 'The last hour.' }, DAY: { description: 'The last 24 hours.' } },
});

type By = (typeof byWords)[keyof typeof byWords];
type Last = (typeof lastWords)[keyof typeof lastWords];

@ObjectType('OperatorCallTimesRow', {
  description:
    'How one provider or model answered the calls of all accounts. Times are of calls that were answered in full.',
})
class OperatorCallTimesRowType {
  @Field(() => String, { description: 'The provider or the model.' })
  name!: string;

  @Field(() => CountScalar, { description: 'Calls that were counted.' })
  calls!: number;

  @Field(() => CountScalar, {
    description: 'Those of them whose caller did not get a whole answer, through no doing of their own.',
  })
  failedCalls!: number;

  @Field(() => Float, { nullable: true, description: 'Failed calls of all: 0 to 1; null: there was none.' })
  errorRate!: number | null;

  @Field(() => CountScalar, { description: 'How often a provider was asked; more than calls after a failover.' })
  attempts!: number;

  @Field(() => CountScalar, { description: 'How often that brought no answer.' })
  failedAttempts!: number;

  @Field(() => Int, { nullable: true, description: 'Milliseconds from arrival to end that half needed at most.' })
  p50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds that 95 of 100 needed at most.' })
  p95Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds that 99 of 100 needed at most.' })
  p99Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'TTFT: milliseconds to the first byte that half needed at most.' })
  firstByteP50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'TTFT that 95 of 100 needed at most.' })
  firstByteP95Ms!: number | null;
}

@ObjectType('OperatorCallTimes', { description: 'How calls were answered lately, by what every instance wrote down.' })
class OperatorCallTimesType {
  @Field(() => DateTimeScalar, { description: 'From when on calls had to arrive.' })
  from!: number;

  @Field(() => DateTimeScalar, { description: 'Exclusive.' })
  to!: number;

  @Field(() => [OperatorCallTimesRowType], { description: 'The most calls first; at most 100.' })
  groups!: readonly OperatorCallTimesRowType[];

  @Field(() => Int, { description: 'How many groups there are in addition.' })
  otherGroups!: number;

  @Field(() => Boolean, {
    description:
      'Whether there were more calls than are counted: the newest 500 of each hour of a day, the newest 1,000 of each five minutes of an hour. All figures are then of those.',
  })
  isSample!: boolean;
}

type Row = Omit<OperatorCallTimesRowType, 'errorRate'>;

/** What reads them, out of the receipts. */
export interface CallTimesSource {
  read(
    by: By,
    last: Last,
  ): Promise<{
    readonly fromMs: number;
    readonly toMs: number;
    readonly groups: readonly Readonly<Row>[];
    readonly otherGroups: number;
    readonly isSample: boolean;
  }>;
}

@Resolver(() => OperatorQueryType)
export class OperatorTimesQueries {
  constructor(private readonly source: CallTimesSource) {}

  @FieldResolver(() => OperatorCallTimesType, {
    description: 'Latency, TTFT and errors of the last hour or day over all instances, by provider or model.',
  })
  async callTimes(
    @Arg('by', () => byWords, { description: 'What to divide by.' }) by: By,
    @Arg('last', () => lastWords, { description: 'How far back.' }) last: Last,
  ): Promise<OperatorCallTimesType> {
    const { fromMs, toMs, groups, ...rest } = await this.source.read(by, last);
    const rows = groups.map((row) => ({ ...row, errorRate: row.calls === 0 ? null : row.failedCalls / row.calls }));
    return { ...rest, from: fromMs, to: toMs, groups: rows };
  }
}
