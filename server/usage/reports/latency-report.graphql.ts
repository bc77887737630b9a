import { IsIn, IsInt } from 'class-validator';
import { Arg, Ctx, Field, InputType, Int, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { Access, everybody } from '../../schema/access.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { CountScalar, DateTimeScalar } from '../../schema/scalars.js';
import type { LatencyQuestion, LatencyReporter } from './latency-report.js';

const latencyGroupings = { PROVIDER: 'provider', MODEL: 'model' } as const;
registerEnumType(latencyGroupings, {
  name: 'LatencyGrouping',
  description: 'What a report of answer times is divided by.',
  valuesConfig: {
    PROVIDER: { description: 'The provider that answered.' },
    MODEL: { description: 'The model that was asked for.' },
  },
});

@InputType('LatencyInput', { description: 'Which calls to time.' })
class LatencyInput {
  @IsInt()
  @Field(() => DateTimeScalar, { description: 'From when.' })
  from!: number;

  @IsInt()
  @Field(() => DateTimeScalar, { description: 'Until when.' })
  to!: number;

  @IsIn(Object.values(latencyGroupings))
  @Field(() => latencyGroupings, { description: 'What to divide by.' })
  groupBy!: LatencyQuestion['grouping'];
}

@ObjectType('LatencyRow', {
  description:
    'How quickly one model or provider answered. Times are those of the newest 10,000 calls, at most 1,000 of one model or provider; only calls that were answered in full are timed.',
})
class LatencyRowType {
  @Field(() => String, { description: 'The model or the provider.' })
  key!: string;

  @Field(() => CountScalar, { description: 'Calls that arrived in the hours which the time touches.' })
  calls!: number;

  @Field(() => CountScalar, {
    description: 'Those of them whose caller did not get a whole answer through no doing of their own.',
  })
  failedCalls!: number;

  @Field(() => Int, { description: 'The calls that the times are taken from; at most 1,000.' })
  sampledCalls!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds from arrival to end that half of them needed at most.',
  })
  medianMs!: number | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds that 95 of 100 of them needed at most.' })
  p95Ms!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds from arrival to the first byte of the answer that half of them needed at most.',
  })
  medianFirstByteMs!: number | null;
}

@Resolver()
export class LatencyResolver {
  constructor(private readonly reporter: Pick<LatencyReporter, 'report'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => [LatencyRowType], {
    description: 'How quickly the account’s calls were answered: the 20 models or providers with most calls.',
  })
  async latency(
    @Arg('input', () => LatencyInput, { description: 'Which calls.' }) input: LatencyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<LatencyRowType[]> {
    const { accountId } = requireViewer(context);
    const rows = await this.reporter.report({
      accountId,
      fromMs: input.from,
      toMs: input.to,
      grouping: input.groupBy,
    });
    return rows.map((row) => ({ ...row }));
  }
}
