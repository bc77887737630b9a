import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType('CallAttempt', { description: 'One provider that was asked in the course of a call.' })
export class CallAttemptType {
  @Field(() => ID, { description: 'The provider.' })
  provider!: string;

  @Field(() => String, { description: 'The provider’s own name of the model.' })
  upstreamModel!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The HTTP status of its answer; null: none came, or it is embedded.',
  })
  status!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it did not answer; null: it did.' })
  errorCode!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds from the arrival of the call to the beginning of the attempt, by when its credits were reserved; null: not known of older calls.',
  })
  startMs?: number | null;

  @Field(() => Int, { description: 'Milliseconds from the request to the end of the attempt.' })
  durationMs!: number;
}
