import { z } from 'zod';
import { isPublicImage } from './image-address.js';

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
    name: maybe(z.string()),
    refusal: maybe(z.string()),
    tool_calls: maybe(z.array(toolCall)),
    tool_call_id: maybe(z.string()),
    reasoning_details: maybe(z.array(jsonObject)),
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

/** What may be in a body once `normaliseBody` has seen it; every other field is left out. */
export const bodyShape = z.object({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: maybe(z.boolean()),
  stream_options: maybe(z.object({ include_usage: maybe(z.boolean()) })),
  max_tokens: maybe(outputTokens),
  max_completion_tokens: maybe(outputTokens),
  n: maybe(z.number().int().min(1).max(choicesMax)),
  temperature: maybe(z.number().min(0).max(2)),
  top_p: maybe(z.number().min(0).max(1)),
  frequency_penalty: maybe(z.number().min(-2).max(2)),
  presence_penalty: maybe(z.number().min(-2).max(2)),
  stop: maybe(z.array(z.string()).min(1).max(4)),
  seed: maybe(z.number().int()),
  logprobs: maybe(z.boolean()),
  top_logprobs: maybe(z.number().int().min(0).max(20)),
  logit_bias: maybe(z.record(z.string(), z.number().min(-100).max(100))),
  tools: maybe(z.array(tool).max(128)),
  tool_choice: maybe(toolChoice),
  parallel_tool_calls: maybe(z.boolean()),
  response_format: maybe(responseFormat),
  reasoning_effort: maybe(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  verbosity: maybe(z.enum(['low', 'medium', 'high'])),
  safety_identifier: maybe(z.string()),
  user: maybe(z.string()),
});
