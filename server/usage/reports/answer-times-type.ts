import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType('AnswerTimes', {
  description:
    'How quickly calls were answered in full: of each bucket the newest calls, 3,000 over all buckets, and 1,500 over those of the period before. Times are milliseconds from the arrival of a call.',
})
export class AnswerTimesType {
  @Field(() => Int, { description: 'The calls that the times are taken from.' })
  sampledCalls!: number;

  @Field(() => Int, { nullable: true, description: 'Half of them needed at most this long.' })
  p50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: '95 of 100 of them needed at most this long.' })
  p95Ms!: number | null;

  @Field(() => Int, { nullable: true, description: '99 of 100 of them needed at most this long.' })
  p99Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'Half of them had their first byte by then.' })
  firstByteP50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: '95 of 100 of them had their first byte by then.' })
  firstByteP95Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens per second of streamed answers, the median.' })
  tokensPerSecond!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Of 100 tokens in, how many the provider read from its cache. Only calls whose provider tells count.',
  })
  cachedPercent!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Of 100 calls, how many had tokens in from the provider’s cache. Only calls whose provider tells count.',
  })
  cacheHitPercent!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Of 100 tokens out, how many were reasoned. Only calls whose provider tells count.',
  })
  reasoningPercent!: number | null;
}
