import { IsOptional, MaxLength, Min } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver } from 'type-graphql';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OnceField, ReasonField, reasonWords } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import type { RefundDesk } from './refund-desk.js';

@InputType('OperatorRefundInput', { description: 'What an operator gives back of a purchase.' })
class OperatorRefundInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The purchase.' })
  purchaseId!: string;

  @IsOptional()
  @Min(1, { message: 'Give back at least 1 cent.' })
  @Field(() => Int, {
    nullable: true,
    description: 'How much of its price, in cents of a US dollar; left out, or null: all that is left.',
  })
  cents?: number | null;

  @ReasonField()
  reason!: string;

  @OnceField(
    'An idempotency word of your own: repeated for the same purchase it gives nothing back twice, and is `CONFLICT` with another sum or reason. Left out, or null: each request is a new one.',
  )
  once?: string | null;
}

@ObjectType('OperatorRefund', { description: 'A refund that an operator has begun.' })
class OperatorRefundType {
  @Field(() => ID, { description: 'Its id; the refund at the payment service has it too.' })
  id!: string;

  @Field(() => ID, { description: 'The purchase.' })
  purchaseId!: string;

  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => Int, { description: 'In cents of a US dollar.' })
  cents!: number;

  @Field(() => CreditsScalar, { description: 'The share of the credits that goes with it.' })
  credits!: number;

  @Field(() => String, { description: 'Why.' })
  reason!: string;

  @Field(() => String, {
    description:
      'Its state: waiting (for a second operator), refused, sending (to the payment service), pending (the money is on its way), done, or failed, when the payment service refuses it, or the bank later: the credits stay, or come back.',
  })
  state!: string;

  @Field(() => String, { nullable: true, description: 'Why it failed, in the payment service’s word.' })
  fault!: string | null;

  @Field(() => ID, { description: 'The operator who has asked for it.' })
  askedBy!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  askedAt!: number;
}

type Refund = Awaited<ReturnType<RefundDesk['approve']>>;

@Resolver(() => OperatorQueryType)
export class OperatorRefundQueries {
  constructor(private readonly desk: RefundDesk) {}

  @FieldResolver(() => [OperatorRefundType], {
    description: 'Refunds that wait for a second operator or for the payment service; at most 100.',
  })
  async refundRequests(): Promise<readonly OperatorRefundType[]> {
    return (await this.desk.listOpen()).map(toRefund);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorRefundMutations {
  constructor(private readonly desk: RefundDesk) {}

  @FieldResolver(() => OperatorRefundType, {
    description:
      'Gives money of a purchase back at the payment service and takes its credits, or asks a second operator above the set amount.',
  })
  async refundPurchase(
    @Arg('input', () => OperatorRefundInput, { description: 'What, and why.' }) input: OperatorRefundInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorRefundType> {
    const { purchaseId, reason, cents, once } = input;
    const wish = { purchaseId, reason, ...(cents == null ? {} : { cents }), ...(once == null ? {} : { once }) };
    return toRefund(await this.desk.refund(await requireOperator(context), wish));
  }

  @FieldResolver(() => OperatorRefundType, { description: 'Agrees to a refund that another operator asks for.' })
  async approveRefund(
    @Arg('id', () => ID, { description: 'The refund’s id.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorRefundType> {
    return toRefund(await this.desk.approve(await requireOperator(context), id));
  }

  @FieldResolver(() => Boolean, { description: 'Ends a refund that waits, without giving anything back.' })
  async refuseRefund(
    @Arg('id', () => ID, { description: 'The refund’s id.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.refuse(await requireOperator(context), id, reason);
    return true;
  }
}

function toRefund(order: Refund): OperatorRefundType {
  const { id, purchaseId, accountId, cents, amountMillicredits, reason, state, fault, askedBy, askedAtMs } = order;
  return {
    id,
    purchaseId,
    accountId,
    cents,
    credits: amountMillicredits,
    reason,
    state,
    fault,
    askedBy,
    askedAt: askedAtMs,
  };
}
