import { z } from 'zod';
import { isPublicImage } from './image-address.js';

// In the depths of a body, where absent may also be said as null. At its top and in its messages, which every call has,
// `withoutNulls` has seen to that, for a fraction of what these cost.
const maybe = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? undefined) as z.ZodType<z.output<Shape> | undefined>;

const jsonObject = z.record(z.string(), z.unknown());

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: z.string().refine(isPublicImage, 'must be an image as data (data:image/…) or its address at a public host'),
    detail: maybe(z.enum(['auto', 'low', 'high'])),
  }),
});
const contentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  imagePart,
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
]);
const content = z
  .union([z.string(), z.array(contentPart)], { error: 'must be a string or an array of content parts' })
  .nullish();

const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  extra_content: maybe(z.object({ google: maybe(z.object({ thought_signature: maybe(z.string()) })) })),
});

const message = z
  .object({
    role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content,
    name: z.string().optional(),
    refusal: z.string().optional(),
    tool_calls: z.array(toolCall).optional(),
    tool_call_id: z.string().optional(),
    reasoning_details: z.array(jsonObject).optional(),
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
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string(),
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
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: maybe(z.boolean()) }).optional(),
  max_tokens: outputTokens.optional(),
  max_completion_tokens: outputTokens.optional(),
  n: z.number().int().min(1).max(choicesMax).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  stop: z.array(z.string()).min(1).max(4).optional(),
  seed: z.number().int().optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.number().int().min(0).max(20).optional(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).optional(),
  tools: z.array(tool).max(128).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
  safety_identifier: z.string().optional(),
  user: z.string().optional(),
});
