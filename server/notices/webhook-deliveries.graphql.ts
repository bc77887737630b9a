import { Max, Min } from 'class-validator';
import { Arg, Args, ArgsType, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { type GraphqlContext, requireViewer } from '../graphql/graphql-context.js';
import { DateTimeScalar } from '../graphql/scalars.js';
import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';
import { noticeStates } from './notices.graphql.js';
import type { WebhookDeliveries, WebhookDelivery } from './webhook-deliveries.js';

@ObjectType('WebhookDelivery', { description: 'One message to the account’s webhook.' })
class WebhookDeliveryType {
  @Field(() => ID, { description: 'The id, which every attempt carries as `tollgate-notice-id`.' })
  id!: string;

  @Field(() => String, { description: 'What it tells, in a sentence.' })
  title!: string;

  @Field(() => String, { description: 'Where it is sent.' })
  url!: string;

  @Field(() => String, {
    description: 'The body, as it is sent: JSON. Empty for one that was sent before bodies were kept.',
  })
  body!: string;

  @Field(() => noticeStates, { description: 'What became of it.' })
  state!: WebhookDelivery['state'];

  @Field(() => Int, { description: 'How often it was tried since it was last to be sent.' })
  attempts!: number;

  @Field(() => String, { nullable: true, description: 'Why it was not taken when it was last tried; null: it was.' })
  fault!: string | null;

  @Field(() => DateTimeScalar, { description: 'When it was written.' })
  at!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last tried; null: not yet.' })
  lastAttemptAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it is tried next; null: no more.' })
  nextAttemptAt!: number | null;
}

@ArgsType()
class WebhookDeliveriesArgs {
  @Min(1, { message: 'Ask for at least 1.' })
  @Max(100, { message: 'Ask for at most 100.' })
  @Field(() => Int, { defaultValue: 20, description: 'How many to answer at most: 1 to 100.' })
  first!: number;
}

@Resolver()
export class WebhookDeliveriesResolver {
  constructor(private readonly webhooks: Pick<WebhookDeliveries, 'list' | 'resend' | 'sendTest'>) {}

  @Query(() => [WebhookDeliveryType], {
    description: 'What was sent to the account’s webhook in the last 90 days, newest first.',
  })
  async webhookDeliveries(
    @Args(() => WebhookDeliveriesArgs) { first }: WebhookDeliveriesArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryType[]> {
    const found = await this.webhooks.list(requireViewer(context).accountId, first);
    return found.map(toDeliveryType);
  }

  @Mutation(() => WebhookDeliveryType, {
    description:
      'Has a message sent once more, to the webhook as it is now. It has the same id, so a receiver can tell.',
  })
  async resendWebhookDelivery(
    @Arg('id', () => ID, { description: 'The id of the delivery.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryType> {
    const { accountId } = requireViewer(context);
    if (!isId('notice', id)) throw new AppError('not_found', 'There is no such delivery in this account.');
    return toDeliveryType(await this.webhooks.resend(accountId, id));
  }

  @Mutation(() => WebhookDeliveryType, {
    description: 'Sends a message of the type `test` to the account’s webhook, at most ten in an hour.',
  })
  async sendTestWebhook(@Ctx() context: GraphqlContext): Promise<WebhookDeliveryType> {
    return toDeliveryType(await this.webhooks.sendTest(requireViewer(context).accountId));
  }
}

function toDeliveryType(delivery: WebhookDelivery): WebhookDeliveryType {
  const { id, title, body, state, attempts } = delivery;
  return {
    ...{ id, title, body, state, attempts, url: delivery.recipient, fault: delivery.lastFault },
    ...{ at: delivery.createdAtMs, lastAttemptAt: delivery.lastAttemptMs },
    nextAttemptAt: state === 'waiting' ? delivery.dueAtMs : null,
  };
}
