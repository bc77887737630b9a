import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';

// The names on the wire stand on the left.
export const OperatorRiskMarkKind = {
  WATCHED: 'watched',
  GIFT_FARMING: 'gift_farming',
  CARD_TESTING: 'card_testing',
  SHARED_KEY: 'shared_key',
  RESALE: 'resale',
  TRUSTED: 'trusted',
} as const;
export type RiskMarkWord = (typeof OperatorRiskMarkKind)[keyof typeof OperatorRiskMarkKind];
registerEnumType(OperatorRiskMarkKind, {
  name: 'OperatorRiskMarkKind',
  description: 'What an operator marks an account as.',
  valuesConfig: {
    WATCHED: { description: 'Somebody looks at it.' },
    GIFT_FARMING: { description: 'One of many that somebody made for gifts.' },
    CARD_TESTING: { description: 'It tries cards out.' },
    SHARED_KEY: { description: 'A key of it went around.' },
    RESALE: { description: 'It sells on what it buys here.' },
    TRUSTED: { description: 'It is well known: it is left out of what may be abuse.' },
  },
});

@ObjectType('OperatorRiskMark', {
  description: 'A mark that an operator has set on an account. Calls know nothing of it.',
})
export class OperatorRiskMarkType {
  @Field(() => ID, { description: 'Its id, `mark_…`.' })
  id!: string;

  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => OperatorRiskMarkKind, { description: 'What the account is marked as.' })
  kind!: RiskMarkWord;

  @Field(() => String, { description: 'Why it was set.' })
  note!: string;

  @Field(() => Boolean, { description: 'Whether it holds: it was not cleared, and has not ended.' })
  isHeld!: boolean;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it ends by itself; null: when somebody clears it.',
  })
  endsAt!: number | null;

  @Field(() => String, { description: 'Who set it.' })
  setBy!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  setAt!: number;

  @Field(() => String, { nullable: true, description: 'Who cleared it; null: nobody.' })
  clearedBy!: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was cleared.' })
  clearedAt!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it was cleared.' })
  clearedReason!: string | null;
}

@ObjectType('OperatorAccountHint', { description: 'Something that may be abuse. A hint, and no proof.' })
export class OperatorAccountHintType {
  @Field(() => String, {
    description: 'sign_ups_by_network, gifts_by_network, declined_cards, spending_spike or widely_used_key.',
  })
  kind!: string;

  @Field(() => String, { description: 'In words.' })
  words!: string;
}
