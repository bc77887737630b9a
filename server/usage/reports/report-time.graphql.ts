import { IsBoolean, IsInt } from 'class-validator';
import { Field, InputType, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';

export const usageBuckets = { HOUR: 'hour', DAY: 'day', MONTH: 'month' } as const;
registerEnumType(usageBuckets, {
  name: 'UsageBucket',
  description: 'How long each stretch of a usage report is. All of them begin and end in UTC.',
  valuesConfig: {
    HOUR: { description: 'An hour.' },
    DAY: { description: 'A day.' },
    MONTH: { description: 'A month of the calendar.' },
  },
});

/** The time that a report is asked of. */
@InputType()
export abstract class ReportTimeInput {
  @IsInt()
  @Field(() => DateTimeScalar, {
    description: 'From when, rounded down to the beginning of a bucket, or, where it is `exact`, of an hour.',
  })
  from!: number;

  @IsInt()
  @Field(() => DateTimeScalar, {
    description: 'Until when, rounded up to the end of a bucket, or, where it is `exact`, of an hour.',
  })
  to!: number;

  @IsBoolean()
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether the first and the last bucket are cut to this time, so that the total is the same in hours, days and months. Without it they are whole, and the report is of more time than was asked for.',
  })
  exact!: boolean;
}
