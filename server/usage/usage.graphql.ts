import { IsIn, IsOptional, MaxLength, ValidateNested } from 'class-validator';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { isId } from '../kernel/ids.js';
import { listPriceMultiplier } from '../kernel/token-price.js';
import { Access, everybody } from '../schema/access.js';
import { ApiKeyType, toApiKeyType } from '../schema/api-key-type.js';
import { createConnectionType, PageArgs, readCursor, toConnection } from '../schema/connection.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import { CallAttemptType } from './requests/call-attempt-type.js';
import type { CallFilter } from './requests/call-filter.js';
import { callOutcomes } from './requests/call-outcome-type.js';
import { type CallReader, type CallRecord, readAttempts, readEstimateParts } from './requests/call-reader.js';
import { EstimatePartsType } from './requests/estimate-parts-type.js';

// The names on the wire stand on the left.
const usageSources = {
  REPORTED: 'reported',
  ESTIMATED: 'estimated',
  NONE: 'none',
} as const satisfies Record<Uppercase<CallRecord['usageSource']>, CallRecord['usageSource']>;
registerEnumType(usageSources, {
  name: 'UsageSource',
  description: 'Who counted the tokens of a call.',
  valuesConfig: {
    REPORTED: { description: 'The provider.' },
    ESTIMATED: { description: 'We did, since the provider did not.' },
    NONE: { description: 'Nobody: there were none.' },
  },
});

@ObjectType('Call', { description: 'One call of the proxy, with its receipt.' })
export class CallType {
  @Field(() => ID, { description: 'The id, `call_…`; the proxy’s answer has it as `x-request-id`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it arrived.' })
  startedAt!: number;

  @Field(() => callOutcomes, { description: 'How it ended.' })
  outcome!: CallRecord['outcome'];

  @Field(() => String, { nullable: true, description: 'The error’s code; null when there was no error.' })
  errorCode!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the model stopped, in its provider’s words.' })
  finishReason!: string | null;

  @Field(() => String, { description: 'The model that was asked for.' })
  model!: string;

  @Field(() => String, { description: 'Who answered.' })
  provider!: string;

  @Field(() => String, { description: 'The price tier: `lower` or `higher`.' })
  tier!: string;

  @Field(() => Boolean, { description: 'Whether the answer was sent piece by piece.' })
  streamed!: boolean;

  @Field(() => Int, { description: 'The tokens of the conversation that was sent.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'The tokens of the answer.' })
  completionTokens!: number;

  @Field(() => usageSources, { description: 'Who counted the tokens.' })
  usageSource!: CallRecord['usageSource'];

  @Field(() => CreditsScalar, { description: 'The list price at the time of the call.' })
  creditsPerThousandTokens!: number;

  @Field(() => Int, {
    description:
      'What the account paid, in per mille of that price; 1000: all of it. Rounded up once for the call, to a whole millicredit.',
  })
  priceMultiplier!: number;

  @Field(() => CreditsScalar, { description: 'What was reserved while it ran.' })
  held!: number;

  @Field(() => CreditsScalar, { description: 'What it cost the account.' })
  charged!: number;

  @Field(() => CreditsScalar, { description: 'What it cost us, since the balance did not cover it.' })
  absorbed!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds to the first byte of the answer; null: there was none.',
  })
  firstByteMs!: number | null;

  @Field(() => Int, { description: 'Milliseconds from its arrival to its end.' })
  totalMs!: number;

  @Field(() => [CallAttemptType], { description: 'Every provider that was asked, in order. Charged is one answer.' })
  attempts!: readonly CallAttemptType[];

  @Field(() => EstimatePartsType, {
    nullable: true,
    description: 'What an estimate is made of; null when the provider counted, and for older calls.',
  })
  estimateParts!: EstimatePartsType | null;

  @Field(() => String, { nullable: true, description: 'What the caller marked it with; null: nothing.' })
  tag!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Who of the caller’s own users asked; null: not told, or in another form than 64 plain characters.',
  })
  endUser!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Of the prompt’s tokens, those that the provider read from its cache, at the same price; null: it did not tell.',
  })
  cachedTokens!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Of the answer’s tokens, those that were reasoned; null: the provider did not tell.',
  })
  reasoningTokens!: number | null;

  /** Not public itself: `apiKey` is. */
  keyId!: string;
}

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
    const beforeId = readCursor(page, (text) => isId('call', text));
    const filter = page.filter ? toCallFilter(page.filter) : {};
    const found = await this.callReader.listCalls(accountId, { first: page.first, beforeId, filter });
    return toConnection(found, toCallType, ({ callId }) => callId);
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

/** A receipt by its names in the schema. */
export function toCallType(call: CallRecord): CallType {
  return {
    id: call.callId,
    keyId: call.keyId,
    startedAt: call.startedAtMs,
    outcome: call.outcome,
    errorCode: call.errorCode,
    finishReason: call.finishReason,
    model: call.model,
    provider: call.provider,
    tier: call.tier,
    streamed: call.isStreamed,
    promptTokens: call.promptTokens,
    completionTokens: call.completionTokens,
    usageSource: call.usageSource,
    creditsPerThousandTokens: call.millicreditsPerToken * 1_000,
    priceMultiplier: call.priceMultiplier ?? listPriceMultiplier,
    held: call.heldMillicredits,
    charged: call.chargedMillicredits,
    absorbed: call.absorbedMillicredits,
    firstByteMs: call.firstByteMs,
    totalMs: call.totalMs,
    attempts: readAttempts(call),
    estimateParts: readEstimateParts(call),
    tag: call.tag,
    endUser: call.endUser,
    cachedTokens: call.cachedTokens,
    reasoningTokens: call.reasoningTokens,
  };
}
