import { IsIn, IsOptional, MaxLength, ValidateNested } from 'class-validator';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, InputType, Query, Resolver, Root } from 'type-graphql';
import { isId } from '../kernel/ids.js';
import { Access, everybody } from '../schema/access.js';
import { ApiKeyType, toApiKeyType } from '../schema/api-key-type.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../schema/connection.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { CallFilter } from './requests/call-filter.js';
import { callOutcomes } from './requests/call-outcome-type.js';
import type { CallReader, CallRecord } from './requests/call-reader.js';
import { CallType, toCallType } from './requests/call-type.graphql.js';

const CallConnectionType = createConnectionType(CallType, 'Call');

@InputType('CallFilter', { description: 'Which calls are wanted: those that fit all that is given.' })
export class CallFilterInput {
  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'Those that arrived then or later.' })
  from?: number | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'Those that arrived before then.' })
  to?: number | null;

  @IsOptional()
  @MaxLength(191)
  @Field(() => String, { nullable: true, description: 'Those that asked for this model.' })
  model?: string | null;

  @IsOptional()
  @MaxLength(191)
  @Field(() => String, { nullable: true, description: 'Those that this provider answered.' })
  provider?: string | null;

  @IsOptional()
  @MaxLength(191)
  @Field(() => ID, { nullable: true, description: 'Those made with the key of this id.' })
  apiKeyId?: string | null;

  @IsOptional()
  @IsIn(Object.values(callOutcomes))
  @Field(() => callOutcomes, { nullable: true, description: 'Those that ended like this.' })
  outcome?: CallRecord['outcome'] | null;

  @IsOptional()
  @Field(() => Boolean, { nullable: true, description: 'Those whose answer was, or was not, sent piece by piece.' })
  streamed?: boolean | null;

  @IsOptional()
  @MaxLength(64)
  @Field(() => String, { nullable: true, description: 'Those marked with this tag.' })
  tag?: string | null;

  @IsOptional()
  @MaxLength(64)
  @Field(() => String, { nullable: true, description: 'Those that this one of the caller’s own users asked.' })
  endUser?: string | null;

  @IsOptional()
  @MaxLength(191)
  @Field(() => String, { nullable: true, description: 'Those with this error code.' })
  errorCode?: string | null;
}

@ArgsType()
class CallsArgs extends PageArgs {
  @IsOptional()
  @ValidateNested()
  @Field(() => CallFilterInput, { nullable: true, description: 'Which calls; left out: all.' })
  filter?: CallFilterInput | null;
}

/** Knows the keys of accounts; the folder `keys` does. */
export interface KeySource {
  findKey(accountId: string, keyId: string): Promise<Parameters<typeof toApiKeyType>[0] | null>;
}

@Resolver(() => CallType)
export class UsageResolver {
  constructor(
    private readonly callReader: Pick<CallReader, 'listCalls' | 'findCall' | 'findBalanceAfter'>,
    private readonly keys: KeySource,
  ) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => CallConnectionType, {
    description:
      'The account’s finished calls, newest first. A filter by model, provider, outcome, `streamed`, tag, end user or error code looks at 10,000 calls for a page: it may hold fewer than asked for, even none, while `hasNextPage` is true.',
  })
  async calls(@Args(() => CallsArgs) page: CallsArgs, @Ctx() context: GraphqlContext) {
    const { accountId } = requireViewer(context);
    const asked = readPage(page, (text) => isId('call', text));
    const filter = page.filter ? toCallFilter(page.filter) : {};
    const found = await this.callReader.listCalls(accountId, { first: asked.first, beforeId: asked.afterKey, filter });
    return toConnection(found, asked, { toNode: toCallType, keyOf: ({ callId }) => callId });
  }

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => CallType, {
    nullable: true,
    description: 'The receipt of one of the account’s calls; null: there is none.',
  })
  async call(
    @Arg('id', () => ID, { description: 'The call’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<CallType | null> {
    const call = await this.callReader.findCall(requireViewer(context).accountId, id);
    return call && toCallType(call);
  }

  @FieldResolver(() => CreditsScalar, {
    nullable: true,
    description: 'What was left on the account when it was booked; null: it cost nothing.',
  })
  async balanceAfter(@Root() { id }: CallType, @Ctx() context: GraphqlContext): Promise<number | null> {
    return this.callReader.findBalanceAfter(requireViewer(context).accountId, id);
  }

  @FieldResolver(() => ApiKeyType, {
    nullable: true,
    description: 'The key that was used; null: it was asked on the dashboard’s playground, without a key.',
  })
  async apiKey(@Root() { keyId }: CallType, @Ctx() context: GraphqlContext): Promise<ApiKeyType | null> {
    const { accountId } = requireViewer(context);
    const key = await context.loadOnce(`key ${keyId}`, () => this.keys.findKey(accountId, keyId));
    return key && toApiKeyType(key);
  }
}

/** A filter by its names in the code. */
export function toCallFilter({ from, to, apiKeyId, streamed, ...same }: CallFilterInput): CallFilter {
  return { ...same, fromMs: from, toMs: to, keyId: apiKeyId, isStreamed: streamed };
}
