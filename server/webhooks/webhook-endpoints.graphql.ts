import { ArrayMaxSize, IsBoolean, IsIn, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { Access, payers } from '../schema/access.js';
import { findIdempotencyKey, type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { requireEndpointId } from '../schema/require-endpoint-id.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { WebhookEndpoint, WebhookEndpoints } from './webhook-endpoints.js';
import { type WebhookEvent, webhookEvents } from './webhook-events.js';

// The names on the wire stand on the left.
const events = {
  BALANCE_LOW: 'balance.low',
  BALANCE_USED: 'balance.used',
  BUDGET_USED: 'budget.used',
  SPENDING_SPIKE: 'spending.spike',
  CALL_COMPLETED: 'call.completed',
  CALL_FAILED: 'call.failed',
  CALL_REFUSED: 'call.refused',
} as const satisfies Record<string, WebhookEvent>;
registerEnumType(events, {
  name: 'WebhookEvent',
  description: 'What an endpoint may be told of; `type` of its messages is the same word in lower case, with a dot.',
  valuesConfig: {
    BALANCE_LOW: { description: 'The balance fell below the threshold of the balance alert.' },
    BALANCE_USED: { description: '50, 80 or 100 % of the balance after the last top-up or gift are used.' },
    BUDGET_USED: { description: '50, 80 or 100 % of a key’s or a member’s budget are used.' },
    SPENDING_SPIKE: { description: 'An hour cost far more than usual.' },
    CALL_COMPLETED: {
      description: 'A call ended with an answer, or its caller left. In lists, about every ten seconds.',
    },
    CALL_FAILED: { description: 'A call failed or was interrupted. In the same lists.' },
    CALL_REFUSED: { description: 'A request was refused, free, before it became a call. In the same lists.' },
  },
});

@ObjectType('WebhookEndpoint', { description: 'An address where the account has events of its choice posted.' })
class WebhookEndpointType {
  @Field(() => ID, { description: 'The id, `hook_…`.' })
  id!: string;

  @Field(() => String, { description: 'What people call it.' })
  name!: string;

  @Field(() => String, { description: 'Where messages are posted.' })
  url!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'What its messages are signed with: the header `tollgate-signature` is `t=<seconds>,v1=<HMAC-SHA256 of "t.body">`. null for an operator who looks as the customer.',
  })
  secret!: string | null;

  @Field(() => [events], { description: 'The events that it receives.' })
  events!: readonly WebhookEvent[];

  @Field(() => Boolean, { description: 'Whether it receives new events.' })
  isOn!: boolean;

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  createdAt!: number;
}

@InputType('WebhookEndpointInput', {
  description:
    'An endpoint, as it is to be. A field that is left out, or null, stays as it is; a new endpoint needs all but `isOn`.',
})
class WebhookEndpointInput {
  @IsOptional()
  @MaxLength(1_000)
  @Field(() => String, { nullable: true, description: '1 to 60 characters.' })
  name?: string | null;

  @IsOptional()
  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'An https address on the public internet.' })
  url?: string | null;

  @IsOptional()
  @ArrayMaxSize(20)
  @IsIn(webhookEvents, { each: true })
  @Field(() => [events], {
    nullable: true,
    description: 'At least one. Of calls it receives those that begin from now on.',
  })
  events?: WebhookEvent[] | null;

  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it receives new events. A new endpoint is on by default.',
  })
  isOn?: boolean | null;
}

const idOf = { description: 'The id of the endpoint.' };
const inputOf = { description: 'The endpoint, as it is to be.' };

@Resolver()
export class WebhookEndpointsResolver {
  constructor(
    private readonly endpoints: Pick<WebhookEndpoints, 'list' | 'create' | 'update' | 'rotateSecret' | 'remove'>,
  ) {}

  // They show their secrets, which a view is not told.
  @Access({ keys: ['billing:write'], members: payers, isViewable: true })
  @Query(() => [WebhookEndpointType], {
    description: 'The account’s endpoints, in addition to the webhook of its balance alert; at most five.',
  })
  async webhookEndpoints(@Ctx() context: GraphqlContext): Promise<WebhookEndpointType[]> {
    const { accountId, operatorId } = requireViewer(context);
    const types = (await this.endpoints.list(accountId)).map(toEndpointType);
    return operatorId === undefined ? types : types.map((type) => ({ ...type, secret: null }));
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => WebhookEndpointType, { description: 'Makes an endpoint, with a secret of its own.' })
  async createWebhookEndpoint(
    @Arg('input', () => WebhookEndpointInput, inputOf) input: WebhookEndpointInput,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'A text of your own, 1 to 255 characters, or the header `Idempotency-Key`: the same request again within 24 hours answers the same endpoint. `CONFLICT` for other input. null: none.',
    })
    idempotencyKey: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookEndpointType> {
    const { accountId } = requireViewer(context);
    const { name, url, events: wanted, isOn } = input;
    const choice = { name: name ?? '', url: url ?? '', events: wanted ?? [], isOn: isOn ?? true };
    const key = findIdempotencyKey(context, idempotencyKey);
    return toEndpointType(await this.endpoints.create(accountId, choice, key));
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => WebhookEndpointType, {
    description:
      'Changes the address and the events of an endpoint. What is left out of the input stays, and its secret.',
  })
  async updateWebhookEndpoint(
    @Arg('id', () => ID, idOf) id: string,
    @Arg('input', () => WebhookEndpointInput, inputOf) input: WebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookEndpointType> {
    const { accountId } = requireViewer(context);
    return toEndpointType(await this.endpoints.update(accountId, requireEndpointId(id), input));
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => WebhookEndpointType, {
    description: 'Gives an endpoint another secret, by which everything is signed that leaves from now on.',
  })
  async rotateWebhookSecret(
    @Arg('id', () => ID, idOf) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookEndpointType> {
    const { accountId } = requireViewer(context);
    return toEndpointType(await this.endpoints.rotateSecret(accountId, requireEndpointId(id)));
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => Boolean, { description: 'Deletes an endpoint with all that it was sent or that waits for it.' })
  async deleteWebhookEndpoint(@Arg('id', () => ID, idOf) id: string, @Ctx() context: GraphqlContext): Promise<boolean> {
    await this.endpoints.remove(requireViewer(context).accountId, requireEndpointId(id));
    return true;
  }
}

function toEndpointType({ id, name, url, secret, events, isOn, createdAtMs }: WebhookEndpoint): WebhookEndpointType {
  return { id, name, url, secret, events, isOn, createdAt: createdAtMs };
}
