import { IsBoolean, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType } from '../operator-root.graphql.js';
import type { CustomerViews } from './customer-views.js';

@ObjectType('OperatorCustomerView', {
  description: 'A look at an account as its customer sees it. It changes nothing.',
})
class OperatorCustomerViewType {
  @Field(() => ID, {
    description: 'Its id: queries with the header `tollgate-view: <id>` and the operator’s cookie are asked by it.',
  })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it ends at the latest: 30 minutes after it began.' })
  endsAt!: number;
}

@InputType('OperatorCustomerViewInput', { description: 'Which account to view, and why.' })
class OperatorCustomerViewInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @IsBoolean()
  @Field(() => Boolean, { description: 'Whether the customer is notified: by mail, and in the events of the account.' })
  isTold!: boolean;

  @ReasonField('Why: 3 to 191 characters. It is written to the operators’ log; the customer does not see it.')
  reason!: string;
}

@Resolver(() => OperatorMutationType)
export class OperatorCustomerViewMutations {
  constructor(private readonly views: CustomerViews) {}

  @FieldResolver(() => OperatorCustomerViewType, {
    description:
      'Begins to look at an account as the person who signed up for it sees it: by queries alone, and without secrets. Ends the view that the same session has.',
  })
  async beginCustomerView(
    @Arg('input', () => OperatorCustomerViewInput, { description: 'Which account, whether it is notified, and why.' })
    input: OperatorCustomerViewInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorCustomerViewType> {
    const { id, endsAtMs } = await this.views.begin(await requireOperator(context), input);
    return { id, endsAt: endsAtMs };
  }

  @FieldResolver(() => Boolean, { description: 'Ends a view of the same session. True when there was one.' })
  async endCustomerView(
    @Arg('id', () => ID, { description: 'The id of the view.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    return this.views.end(await requireOperator(context), id);
  }
}
