import { IsInt, IsOptional, Min } from 'class-validator';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { toMillicredits } from '../../kernel/millicredits.js';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OnceField, ReasonField, reasonWords } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import type { GiftCodeState, GiftDesk } from './gift-desk.js';

const stateWords = { OPEN: 'open', CLAIMED: 'claimed', REVOKED: 'revoked', EXPIRED: 'expired' } as const;
registerEnumType(stateWords, {
  name: 'OperatorGiftCodeState',
  description: 'What became of a gift code.',
  valuesConfig: {
    OPEN: { description: 'Anyone who has it can claim it.' },
    CLAIMED: { description: 'An account has its credits.' },
    REVOKED: { description: 'An operator has ended it.' },
    EXPIRED: { description: 'Its time was over before anybody claimed it.' },
  },
});

@ObjectType('OperatorGiftCode', { description: 'A code of credits. The code itself is shown when it is made.' })
class OperatorGiftCodeType {
  @Field(() => ID, { description: 'Its id, `gift_…`.' })
  id!: string;

  @Field(() => String, { description: 'The last four characters of the code.' })
  hint!: string;

  @Field(() => CreditsScalar, { description: 'What it brings, once.' })
  credits!: number;

  @Field(() => stateWords, { description: 'What became of it.' })
  state!: GiftCodeState;

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it expires; null: never.' })
  expiresAt!: number | null;

  @Field(() => ID, { nullable: true, description: 'The account that has claimed it.' })
  claimedBy!: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When.' })
  claimedAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When an operator has ended it.' })
  revokedAt!: number | null;
}

@ObjectType('OperatorMadeGiftCode', { description: 'A code that was just made.' })
class OperatorMadeGiftCodeType {
  @Field(() => ID, { description: 'Its id, by which it is listed and revoked.' })
  id!: string;

  @Field(() => String, {
    description:
      'The code, which only its maker has: its hash is kept, and with `once` the code itself, sealed, for 24 hours.',
  })
  code!: string;
}

@InputType('OperatorGiftCodesInput', { description: 'Codes of credits to give away.' })
class OperatorGiftCodesInput {
  @Min(1, { message: 'A gift is at least 0.001 credits.' })
  @Field(() => CreditsScalar, { description: 'What each of them brings, above zero.' })
  credits!: number;

  @IsInt()
  @Field(() => Int, { defaultValue: 1, description: 'How many: 1 to 1,000.' })
  count!: number;

  @IsOptional()
  @IsInt()
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'From when they are worth nothing; left out, or null: never.',
  })
  expiresAt?: number | null;

  @ReasonField()
  reason!: string;

  @OnceField(
    'An idempotency word of your own: repeated within 24 hours it answers the same codes, and is `CONFLICT` with another amount, number, end or reason. Left out, or null: each request makes new codes.',
  )
  once?: string | null;
}

@Resolver(() => OperatorQueryType)
export class OperatorGiftQueries {
  constructor(private readonly desk: GiftDesk) {}

  @FieldResolver(() => [OperatorGiftCodeType], { description: 'Gift codes, the newest first.' })
  async giftCodes(
    @Arg('first', () => Int, { defaultValue: 50, description: 'How many to answer at most: 1 to 100.' }) first: number,
    @Arg('after', () => ID, { nullable: true, description: 'The last id of the page before; left out: the newest.' })
    after?: string | null,
  ): Promise<readonly OperatorGiftCodeType[]> {
    const codes = await this.desk.list({ first, ...(after != null && { afterId: after }) });
    return codes.map(
      ({ creditsMillicredits: credits, createdAtMs, expiresAtMs, claimedAtMs, revokedAtMs, ...code }) => ({
        ...code,
        credits,
        createdAt: createdAtMs,
        expiresAt: expiresAtMs,
        claimedAt: claimedAtMs,
        revokedAt: revokedAtMs,
      }),
    );
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorGiftMutations {
  constructor(private readonly desk: GiftDesk) {}

  @FieldResolver(() => [OperatorMadeGiftCodeType], {
    description:
      'Makes codes; the first account to claim one gets its credits. One operator gives away at most as much by codes in 24 hours as one may give to an account alone.',
  })
  async createGiftCodes(
    @Arg('input', () => OperatorGiftCodesInput, { description: 'How much, how many, until when, and why.' })
    { credits, count, expiresAt, reason, once }: OperatorGiftCodesInput,
    @Ctx() context: OperatorContext,
  ): Promise<readonly OperatorMadeGiftCodeType[]> {
    const by = await requireOperator(context);
    const wanted = { creditsMillicredits: toMillicredits(credits), count, expiresAtMs: expiresAt ?? null };
    return this.desk.create(wanted, reason, by, once ?? null);
  }

  @FieldResolver(() => Boolean, { description: 'Ends a gift code that nobody has claimed.' })
  async revokeGiftCode(
    @Arg('id', () => ID, { description: 'The code’s id.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.revoke(id, reason, await requireOperator(context));
    return true;
  }
}
