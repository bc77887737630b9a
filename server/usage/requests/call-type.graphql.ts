import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { CallAttemptType } from './call-attempt-type.js';
import { callOutcomes } from './call-outcome-type.js';
import { type CallRecord, readAttempts, readEstimateParts } from './call-reader.js';
import { EstimatePartsType } from './estimate-parts-type.js';

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
    NONE: { description: 'Nobody: none are charged, and the call is free.' },
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
