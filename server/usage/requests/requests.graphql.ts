import { IsIn, IsOptional, ValidateNested } from 'class-validator';
import { Args, ArgsType, Ctx, Field, ID, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { isId } from '../../kernel/ids.js';
import { Access, everybody } from '../../schema/access.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../../schema/connection.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { CallFilterInput, toCallFilter } from '../usage.graphql.js';
import { CallType, toCallType } from './call-type.graphql.js';
import { RefusalType, toRefusalType } from './refusals.graphql.js';
import { idOf, type ListedRequest, type RequestOrder, type RequestReader } from './request-list.js';

const requestKinds = { CALL: 'call', REFUSED: 'refused' } as const;
registerEnumType(requestKinds, {
  name: 'RequestKind',
  description: 'What became of a request.',
  valuesConfig: {
    CALL: { description: 'A call, which has a receipt.' },
    REFUSED: { description: 'It was refused, and cost nothing.' },
  },
});

const requestOrders = { NEWEST: 'newest', COST: 'cost', DURATION: 'duration' } as const satisfies Record<
  Uppercase<RequestOrder>,
  RequestOrder
>;
registerEnumType(requestOrders, {
  name: 'RequestOrder',
  description: 'Which requests come first.',
  valuesConfig: {
    NEWEST: { description: 'The newest.' },
    COST: { description: 'The dearest of the newest 10,000 calls that the time and the key leave; one page.' },
    DURATION: { description: 'The slowest of the newest 10,000 calls that the time and the key leave; one page.' },
  },
});

@ObjectType('Request', { description: 'What came in with one of the account’s keys, or on its playground.' })
class RequestType {
  @Field(() => ID, { description: 'The id that it was answered with as `x-request-id`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it arrived; of alike refused ones, the last.' })
  at!: number;

  @Field(() => CallType, { nullable: true, description: 'The call that it became; null: it was refused.' })
  call!: CallType | null;

  @Field(() => RefusalType, { nullable: true, description: 'Why it was refused; null: it became a call.' })
  refusal!: RefusalType | null;
}

const RequestConnectionType = createConnectionType(RequestType, 'Request');

@ArgsType()
class RequestsArgs extends PageArgs {
  @IsOptional()
  @ValidateNested()
  @Field(() => CallFilterInput, {
    nullable: true,
    description:
      'Which requests; left out: all. Refused ones have no provider, outcome, tag or end user, and fit no filter by these.',
  })
  filter?: CallFilterInput | null;

  @IsOptional()
  @IsIn(Object.values(requestKinds))
  @Field(() => requestKinds, { nullable: true, description: 'Only what became this; left out: all.' })
  kind?: (typeof requestKinds)[keyof typeof requestKinds] | null;

  @IsIn(Object.values(requestOrders))
  @Field(() => requestOrders, { defaultValue: 'newest', description: 'Which come first.' })
  order!: RequestOrder;
}

@Resolver()
export class RequestsResolver {
  constructor(private readonly reader: Pick<RequestReader, 'listRequests'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => RequestConnectionType, {
    description:
      'What came in, finished calls and refused requests as one list. As for `calls`, a page may hold fewer than asked for while `hasNextPage` is true. Refused requests are the newest 200 of the last 30 days.',
  })
  async requests(@Args(() => RequestsArgs) page: RequestsArgs, @Ctx() context: GraphqlContext) {
    const { accountId } = requireViewer(context);
    const asked = readPage(page, (text) => isId('call', text));
    const isRefused = page.kind == null ? null : page.kind === 'refused';
    const filter = { ...(page.filter ? toCallFilter(page.filter) : {}), isRefused };
    const { first, afterKey: beforeId } = asked;
    const found = await this.reader.listRequests(accountId, { first, beforeId, filter, order: page.order });
    return toConnection(found, asked, { toNode: toRequestType, keyOf: idOf });
  }
}

function toRequestType(request: ListedRequest): RequestType {
  const id = idOf(request);
  const { call, refusal } = request;
  if (call !== null) return { id, at: call.startedAtMs, call: toCallType(call), refusal: null };
  return { id, at: refusal.lastAtMs, call: null, refusal: toRefusalType(refusal) };
}
