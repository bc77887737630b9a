import { IsOptional, Max, Min } from 'class-validator';
import { Arg, Args, ArgsType, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';
import { Access, payers } from '../schema/access.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { requireEndpointId } from '../schema/require-endpoint-id.js';
import { DateTimeScalar } from '../schema/scalars.js';
import { noticeStates } from './notices.graphql.js';
import type { WebhookDeliveries, WebhookDelivery } from './webhook-deliveries.js';

@ObjectType('WebhookDelivery', {
  description: 'One message to the webhook of the account’s balance alert, or to one of its endpoints.',
})
class WebhookDeliveryType {
  @Field(() => ID, { description: 'The id, which every attempt carries as `tollgate-notice-id`.' })
  id!: string;

  @Field(() => ID, { nullable: true, description: 'Which endpoint it is for; null: the webhook of the balance alert.' })
  endpointId!: string | null;

  @Field(() => String, { description: 'What it tells, in a sentence.' })
  title!: string;

  @Field(() => String, { description: 'Where it is sent.' })
  url!: string;

  @Field(() => String, {
    description: 'The body, as it is sent: JSON. Empty for one that was sent before bodies were kept.',
  })
  body!: string;

  @Field(() => noticeStates, { description: 'What became of it.' })
  state!: (typeof noticeStates)[keyof typeof noticeStates];

  @Field(() => Int, { description: 'How often it was tried since it was last to be sent.' })
  attempts!: number;

  @Field(() => String, { nullable: true, description: 'Why it was not taken when it was last tried; null: it was.' })
  fault!: string | null;

  @Field(() => DateTimeScalar, { description: 'When it was written.' })
  at!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last tried; null: not yet.' })
  lastAttemptAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it is tried next; null: not again.' })
  nextAttemptAt!: number | null;
}

@ArgsType()
class WebhookDeliveriesArgs {
  @Min(1, { message: 'Ask for at least 1.' })
  @Max(100, { message: 'Ask for at most 100.' })
  @Field(() => Int, { defaultValue: 20, description: 'How many to answer at most: 1 to 100.' })
  first!: number;

  @IsOptional()
  @Field(() => ID, { nullable: true, description: 'Those of this endpoint; left out: all of the account.' })
  endpointId?: string | null;
}

@Resolver()
export class WebhookDeliveriesResolver {
  constructor(private readonly webhooks: Pick<WebhookDeliveries, 'list' | 'resend' | 'sendTest'>) {}

  @Access({ keys: ['billing:write'], members: payers, isViewable: true })
  @Query(() => [WebhookDeliveryType], {
    description:
      'What was sent to the account’s webhook and endpoints in the last 90 days, newest first; of messages about calls the last hundred of each endpoint.',
  })
  async webhookDeliveries(
    @Args(() => WebhookDeliveriesArgs) { first, endpointId }: WebhookDeliveriesArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryType[]> {
    const { accountId } = requireViewer(context);
    if (endpointId != null && !isId('webhookEndpoint', endpointId)) return [];
    const found = await this.webhooks.list(accountId, first, endpointId ?? undefined);
    return found.map(toDeliveryType);
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => WebhookDeliveryType, {
    description:
      'Has a message sent once more, to its webhook or endpoint as it is now. It has the same id, so a receiver can tell.',
  })
  async resendWebhookDelivery(
    @Arg('id', () => ID, { description: 'The id of the delivery.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryType> {
    const { accountId } = requireViewer(context);
    if (!isId('notice', id)) throw new AppError('not_found', 'There is no such delivery in this account.');
    return toDeliveryType(await this.webhooks.resend(accountId, id));
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => WebhookDeliveryType, {
    description:
      'Sends a message of the type `test` to an endpoint or the balance alert’s webhook, at most ten an hour each.',
  })
  async sendTestWebhook(
    @Arg('endpointId', () => ID, {
      nullable: true,
      description: 'To which endpoint; left out, or null: to the webhook of the balance alert.',
    })
    endpointId: string | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryType> {
    const { accountId } = requireViewer(context);
    if (endpointId != null) requireEndpointId(endpointId);
    return toDeliveryType(await this.webhooks.sendTest(accountId, endpointId ?? null));
  }
}

function toDeliveryType(delivery: WebhookDelivery): WebhookDeliveryType {
  const { id, endpointId, title, body, attempts } = delivery;
  const state = delivery.state === 'queued' ? 'waiting' : delivery.state;
  return {
    id,
    endpointId,
    title,
    body,
    state,
    attempts,
    url: delivery.recipient,
    fault: delivery.lastFault,
    at: delivery.createdAtMs,
    lastAttemptAt: delivery.lastAttemptMs,
    nextAttemptAt: state === 'waiting' ? delivery.dueAtMs : null,
  };
}
