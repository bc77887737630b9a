/* What bodies of the proxy's addresses hold, for `GET /openapi.json`. */

import { z } from 'zod';
import { bodyShape, messageShape } from '../../providers/chat-request-shape.js';

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const credits: Schema = {
  type: 'number',
  description: 'Credits, with at most three decimals. 1,000 credits are a dollar.',
};
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: Schema) => ({ 'application/json': { schema } });
export const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
) => ({ type: 'object', properties, required });

interface BodySchema<Name extends string> extends Schema {
  readonly properties: Readonly<Record<Name, Schema>>;
  readonly required?: readonly string[];
}

function toSchema<Fields extends z.ZodRawShape>(shape: z.ZodObject<Fields>) {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return schema as unknown as BodySchema<keyof Fields & string>;
}

/** Such a body as it may be sent: null stands for a field that is absent. */
function withNulls<Name extends string>({ required = [], properties, ...schema }: BodySchema<Name>): Schema {
  const fields = Object.entries<Schema>(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : orNull(field),
  ]);
  return { ...schema, required, properties: Object.fromEntries(fields) };
}

// The shapes know one form of each field; these are brought into it before (`proxy/requests/chat-request.ts`).
const orObject = (schema: unknown, description: string): Schema => ({
  anyOf: [schema, { type: 'object', description }],
});

const request = toSchema(bodyShape);
const { messages, stop, tools, tool_choice: toolChoice } = request.properties;
const chatRequest = withNulls({
  ...request,
  properties: {
    ...request.properties,
    messages: { ...messages, items: ref('Message') },
    stop: { anyOf: [text, { ...stop, minItems: 0 }] },
    tools: { ...tools, items: orObject(tools.items, 'A function written flat, or a tool of type `custom`.') },
    tool_choice: orObject(toolChoice, 'A function written flat, a custom tool, or a choice among `allowed_tools`.'),
  },
});

const plainMessage = toSchema(messageShape);
const { tool_calls: toolCalls } = plainMessage.properties;
const message = withNulls({
  ...plainMessage,
  properties: {
    ...plainMessage.properties,
    tool_calls: { ...toolCalls, items: orObject(toolCalls.items, 'A call of a tool of type `custom`.') },
  },
});

const usage = objectOf({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: { type: 'object' },
  completion_tokens_details: { type: 'object' },
  credits,
});

const completion = objectOf({
  id: { ...text, description: 'The id of the call; `GET /calls/{id}` is its receipt.' },
  object: { const: 'chat.completion' },
  created: count,
  model: text,
  choices: listOf(
    objectOf({
      index: count,
      message: objectOf(
        {
          role: { const: 'assistant' },
          content: orNull(text),
          refusal: orNull(text),
          tool_calls: listOf({ type: 'object' }),
        },
        ['role', 'content', 'refusal'],
      ),
      logprobs: orNull({ type: 'object' }),
      finish_reason: { enum: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] },
    }),
  ),
  usage: ref('Usage'),
});

const error = objectOf({
  error: objectOf(
    { message: text, type: text, param: orNull(text), code: orNull(text), metadata: { type: 'object' } },
    ['message', 'type', 'param', 'code'],
  ),
});

const model = objectOf({
  id: text,
  object: { const: 'model' },
  created: count,
  owned_by: text,
  name: text,
  context_length: count,
  architecture: { type: 'object' },
  pricing: objectOf({ prompt: text, completion: text, request: text, image: text }),
  top_provider: { type: 'object' },
  supported_parameters: listOf(text),
  tier: text,
  credits_per_1000_tokens: count,
  providers: listOf(text),
});

const receipt = objectOf({
  id: text,
  object: { const: 'call' },
  model: text,
  provider: text,
  stream: { type: 'boolean' },
  outcome: { enum: ['completed', 'interrupted', 'abandoned', 'failed', 'expired'] },
  finish_reason: orNull(text),
  tag: orNull(text),
  end_user: orNull(text),
  error_code: orNull(text),
  attempts: listOf(
    objectOf({
      provider: text,
      upstream_model: text,
      status: orNull(count),
      error_code: orNull(text),
      start_ms: orNull(count),
      duration_ms: count,
    }),
  ),
  usage: objectOf({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    cached_tokens: orNull(count),
    reasoning_tokens: orNull(count),
    source: { enum: ['reported', 'estimated', 'none'] },
    estimate: orNull(
      objectOf({ prompt_tokens: count, image_tokens: count, visible_tokens: count, reasoning_tokens: count }),
    ),
  }),
  tier: text,
  credits_per_1000_tokens: count,
  price_multiplier: { ...count, description: 'What of that price the account paid, in per mille; 1000: all of it.' },
  credits_held: credits,
  credits_charged: credits,
  credits_absorbed: { ...credits, description: 'What the operator paid, because neither hold nor balance covered it.' },
  credits_after: orNull(credits),
  started_at: { ...text, format: 'date-time' },
  first_byte_ms: orNull(count),
  total_ms: count,
});

const estimate = objectOf({
  object: { const: 'estimate' },
  model: text,
  tier: text,
  prompt_tokens_max: count,
  output_tokens_max: count,
  choices: count,
  credits_max: credits,
  credits_min_to_begin: credits,
  available_credits: credits,
  is_affordable: { type: 'boolean' },
});

export const creditsAnswer = objectOf({
  data: objectOf({
    total_credits: credits,
    total_usage: credits,
    available_credits: credits,
    reserved_credits: credits,
  }),
});

// Of a key, and of its account; null: no such limit.
const limitsOfOne = { requests_per_minute: count, tokens_per_minute: orNull(count), concurrent_calls: orNull(count) };

export const keyAnswer = objectOf({
  data: objectOf({
    label: orNull(text),
    name: orNull(text),
    usage: credits,
    usage_daily: credits,
    usage_weekly: credits,
    usage_monthly: credits,
    limit: orNull(credits),
    limit_remaining: credits,
    limit_reset: orNull(text),
    expires_at: orNull(text),
    scopes: { type: 'array', items: text },
    is_free_tier: { type: 'boolean' },
    rate_limit: objectOf({ requests: count, interval: text }),
    limits: objectOf({ ...limitsOfOne, account: objectOf(limitsOfOne) }),
  }),
});

/** What the document's references name. */
export const namedSchemas = {
  ChatRequest: chatRequest,
  Message: message,
  ChatCompletion: completion,
  Usage: usage,
  Model: model,
  Receipt: receipt,
  Estimate: estimate,
  Error: error,
} as const;
