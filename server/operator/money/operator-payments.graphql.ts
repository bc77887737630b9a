import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import type { PaymentDesk } from './payment-desk.js';

@ObjectType('OperatorReconciliation', { description: 'What a comparison with the payment service found.' })
class OperatorReconciliationType {
  @Field(() => DateTimeScalar, { description: 'When it ended.' })
  endedAt!: number;

  @Field(() => Int, { description: 'Events that had never arrived, and were dealt with.' })
  missedEvents!: number;

  @Field(() => Int, { description: 'Purchases that were waiting for something.' })
  waitingPurchases!: number;

  @Field(() => Int, { description: 'Of those, the ones that turned out to be paid.' })
  paidPurchases!: number;

  @Field(() => [String], { description: 'What does not fit, each as one sentence.' })
  differences!: readonly string[];

  @Field(() => Int, { description: 'How many could not be compared; the next comparison tries again.' })
  failures!: number;
}

@ObjectType('OperatorEventVerdict', { description: 'The result for an event that was checked again.' })
class OperatorEventVerdictType {
  @Field(() => Boolean, { description: 'Whether it fits now; false: it stays set aside.' })
  fits!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why it still does not fit, or why it was about nothing of ours.',
  })
  reason!: string | null;
}

@Resolver(() => OperatorQueryType)
export class OperatorPaymentQueries {
  constructor(private readonly desk: PaymentDesk) {}

  @FieldResolver(() => OperatorReconciliationType, {
    nullable: true,
    description:
      'The last comparison with the payment service of the process that answers; null: none since its start.',
  })
  lastReconciliation(): OperatorReconciliationType | null {
    return this.desk.last && toReconciliation(this.desk.last);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorPaymentMutations {
  constructor(private readonly desk: PaymentDesk) {}

  @FieldResolver(() => OperatorEventVerdictType, {
    description: 'Looks again at an event that was set aside, at the payment service itself.',
  })
  async retryQuarantinedEvent(
    @Arg('id', () => ID, { description: 'The payment service’s id of the event.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorEventVerdictType> {
    const { state, reason } = await this.desk.tryAgain(id, await requireOperator(context));
    return { fits: state !== 'quarantined', reason };
  }

  @FieldResolver(() => Boolean, { description: 'Ends an event that was set aside, without crediting anything.' })
  async dismissQuarantinedEvent(
    @Arg('id', () => ID, { description: 'The payment service’s id of the event.' }) id: string,
    @Arg('reason', () => String, {
      description: 'Why: 3 to 191 characters. It is written to the operators’ log and kept with the event.',
    })
    reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.dismiss(id, reason, await requireOperator(context));
    return true;
  }

  @FieldResolver(() => OperatorReconciliationType, {
    description: 'Looks at what the payment service has since the last comparison, and posts what was missed.',
  })
  async reconcilePurchases(@Ctx() context: OperatorContext): Promise<OperatorReconciliationType> {
    return toReconciliation(await this.desk.reconcile(await requireOperator(context)));
  }
}

function toReconciliation({ endedAtMs, report }: NonNullable<PaymentDesk['last']>): OperatorReconciliationType {
  const { missedNotices, waitingPurchases, paidPurchases, differences, failures } = report;
  return { endedAt: endedAtMs, missedEvents: missedNotices, waitingPurchases, paidPurchases, differences, failures };
}
