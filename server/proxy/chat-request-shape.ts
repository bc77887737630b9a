import { z } from 'zod';
import { isPublicImage } from './image-address.js';
import { itemsMax } from './refuse-excess.js';

// In the depths of a body, where absent may also be said as null. At its top and in its messages, which every call has,
// `withoutNulls` has seen to that, for a fraction of what these cost.
const maybe = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? undefined) as z.ZodType<z.output<Shape> | undefined>;

// Some clients carry a thought's signature in the id of a call.
const callId = z.string().max(65_536);
const shortName = z.string().max(1_024);

const jsonObject = z.record(z.string(), z.unknown());

// What is written in another way is a wish that nobody here knows, and left out.
const cacheControl = z.unknown().transform((value) => {
  const isKnown = typeof value === 'object' && value !== null && 'type' in value && value.type === 'ephemeral';
  return isKnown ? { type: 'ephemeral' as const } : undefined;
});

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object(
    {
      url: z
        .string()
        .refine(
          isPublicImage,
          'must be an image as data (data:image/…) or its address, of at most 16,384 characters, at a public host',
        ),
      detail: maybe(z.enum(['auto', 'low', 'high'])),
    },
    { error: 'must be an object with the address in it, {"url": "…"}' },
  ),
  cache_control: cacheControl.optional(),
});
/** One part of a message's content. */
export const partShape = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string(), cache_control: cacheControl.optional() }),
    imagePart,
    z.object({ type: z.literal('refusal'), refusal: z.string() }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? "must be 'text', 'image_url' or 'refusal'" : undefined) },
);
const content = z
  .union([z.string(), z.array(partShape)], { error: 'must be a string or an array of content parts' })
  .nullish();

const toolCall = z.object({
  id: callId,
  type: z.literal('function'),
  function: z.object({ name: shortName, arguments: z.string() }),
  extra_content: maybe(z.object({ google: maybe(z.object({ thought_signature: maybe(z.string()) })) })),
});

/** One message, as it is in `bodyShape`. */
export const messageShape = z
  .object({
    role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content,
    name: shortName.optional(),
    refusal: z.string().optional(),
    tool_calls: z.array(toolCall).max(itemsMax.tool_calls).optional(),
    tool_call_id: callId.optional(),
    reasoning_details: z.array(jsonObject).max(itemsMax.reasoning_details).optional(),
  })
  .refine(({ role, content }) => role === 'assistant' || (content !== null && content !== undefined), {
    path: ['content'],
    error: 'is required',
    params: { isMissing: true },
  });

const tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or dashes'),
    description: maybe(z.string()),
    parameters: maybe(jsonObject),
    strict: maybe(z.boolean()),
  }),
  cache_control: cacheControl.optional(),
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: shortName }) }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: shortName,
      description: maybe(z.string()),
      schema: maybe(jsonObject),
      strict: maybe(z.boolean()),
    }),
  }),
]);

/** One call answers at most this often; more would be another way to ask for an unbounded bill. */
const choicesMax = 8;

const outputTokens = z.number().int().min(1).max(10_000_000);

/** What may be in a body once it is normalised and `withoutNulls`; every other field is left out. */
export const bodyShape = z.object({
  model: z.string().min(1).max(256),
  messages: z.array(messageShape).min(1).max(itemsMax.messages),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: maybe(z.boolean()) }).optional(),
  max_tokens: outputTokens.optional(),
  max_completion_tokens: outputTokens.optional(),
  n: z.number().int().min(1).max(choicesMax).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  stop: z.array(z.string().max(8_192)).min(1).max(itemsMax.stop).optional(),
  seed: z.number().int().optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.number().int().min(0).max(20).optional(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).optional(),
  tools: z.array(tool).max(itemsMax.tools).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
  safety_identifier: z.string().max(4_096).optional(),
  user: z.string().max(4_096).optional(),
});
