import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { callOutcomes } from './call-outcome-type.js';
import { type CallRecord, readAttempts, readEstimateParts } from './call-reader.js';

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

@ObjectType('CallAttempt', { description: 'One provider that was asked in the course of a call.' })
class CallAttemptType {
  @Field(() => ID, { description: 'The provider.' })
  provider!: string;

  @Field(() => String, { description: 'The provider’s own name of the model.' })
  upstreamModel!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The HTTP status of its answer; null: none came, or it is embedded.',
  })
  status!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it did not answer; null: it did.' })
  errorCode!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds from the arrival of the call to the beginning of the attempt, by when its credits were reserved; null: not known of older calls.',
  })
  startMs?: number | null;

  @Field(() => Int, { description: 'Milliseconds from the request to the end of the attempt.' })
  durationMs!: number;
}

@ObjectType('EstimateParts', { description: 'What an estimate is made of, in tokens.' })
class EstimatePartsType {
  @Field(() => Int, { description: 'Of the prompt: its text and the text around it.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'Of the prompt: its images, each at the most that it can count.' })
  imageTokens!: number;

  @Field(() => Int, { description: 'Of the answer: what was sent to the caller.' })
  visibleTokens!: number;

  @Field(() => Int, {
    description:
      'Of the answer: the reasoning, by its words, or by its time and the speed of the model where no words came.',
  })
  reasoningTokens!: number;
}

/** What a receipt shows to whoever has it: also to people outside the account, if its owner shares it. */
@ObjectType()
export abstract class ReceiptFields {
  @Field(() => DateTimeScalar, { description: 'When it arrived.' })
  startedAt!: number;

  @Field(() => callOutcomes, { description: 'How it ended.' })
  outcome!: CallRecord['outcome'];

  @Field(() => String, { description: 'The model that was asked for.' })
  model!: string;

  @Field(() => String, { description: 'Who answered.' })
  provider!: string;

  @Field(() => Boolean, { description: 'Whether the answer was sent piece by piece.' })
  streamed!: boolean;

  @Field(() => Int, { description: 'The tokens of the conversation that was sent.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'The tokens of the answer.' })
  completionTokens!: number;

  @Field(() => CreditsScalar, { description: 'The list price at the time of the call.' })
  creditsPerThousandTokens!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds to the first byte of the answer; null: there was none.',
  })
  firstByteMs!: number | null;

  @Field(() => Int, { description: 'Milliseconds from its arrival to its end.' })
  totalMs!: number;
}

@ObjectType('Call', { description: 'One call of the proxy, with its receipt.' })
export class CallType extends ReceiptFields {
  @Field(() => ID, { description: 'The id, `call_…`; the proxy’s answer has it as `x-request-id`.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'The error’s code; null when there was no error.' })
  errorCode!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the model stopped, in its provider’s words.' })
  finishReason!: string | null;

  @Field(() => String, { description: 'The price tier: `lower` or `higher`.' })
  tier!: string;

  @Field(() => usageSources, { description: 'Who counted the tokens.' })
  usageSource!: CallRecord['usageSource'];

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

/** What is shown of a receipt to anybody, by its names in the schema. */
export function toReceiptFields(call: CallRecord): ReceiptFields {
  const { outcome, model, provider, promptTokens, completionTokens, firstByteMs, totalMs } = call;
  const told = { outcome, model, provider, promptTokens, completionTokens, firstByteMs, totalMs };
  const creditsPerThousandTokens = call.millicreditsPerToken * 1_000;
  return { ...told, startedAt: call.startedAtMs, streamed: call.isStreamed, creditsPerThousandTokens };
}

/** A receipt by its names in the schema. */
export function toCallType(call: CallRecord): CallType {
  return {
    ...toReceiptFields(call),
    id: call.callId,
    keyId: call.keyId,
    errorCode: call.errorCode,
    finishReason: call.finishReason,
    tier: call.tier,
    usageSource: call.usageSource,
    priceMultiplier: call.priceMultiplier ?? listPriceMultiplier,
    held: call.heldMillicredits,
    charged: call.chargedMillicredits,
    absorbed: call.absorbedMillicredits,
    attempts: readAttempts(call),
    estimateParts: readEstimateParts(call),
    tag: call.tag,
    endUser: call.endUser,
    cachedTokens: call.cachedTokens,
    reasoningTokens: call.reasoningTokens,
  };
}
