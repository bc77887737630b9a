import { z } from 'zod';
import type { ModelCapabilities } from '../pricing/model-capabilities.js';
import { isPublicImage } from './image-address.js';

/*
 * The fields of a request of chat completions, each with its bounds. A new one is written here: the types (`chat-types.ts`), the
 * check of bodies, `/openapi.json`, the parameters of `/models`, what OpenAI-compatible providers are sent and what `tollgate.yaml`
 * may name follow from it. What else it may need is listed in `docs/architecture.md`.
 */

/**
 * The most items of each list, also of those that other wires have: far more than any client sends, and few enough to be checked
 * in no time.
 */
export const itemsMax = {
  messages: 10_000,
  content: 2_048,
  tool_calls: 512,
  reasoning_details: 1_024,
  output: 2_048,
  tools: 128,
  stop: 256,
  logit_bias: 1_024,
} as const;

// In the depths of a body, where absent may also be said as null. At its top and in its messages, which every call has,
// `withoutNulls` has seen to that, for a fraction of what these cost. The type is that of what comes out.
const maybe = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? undefined) as unknown as z.ZodOptional<Shape>;

// Some clients carry a thought's signature in the id of a call.
const callId = z.string().max(65_536);
const shortName = z.string().max(1_024);

const jsonObject = z.record(z.string(), z.unknown());

// Up to here a provider may keep what it read, for the next call; only Anthropic is told. What is written in another way is a wish
// that nobody here knows, and left out.
const cacheControl = z
  .unknown()
  .transform((value) => {
    const isKnown = typeof value === 'object' && value !== null && 'type' in value && value.type === 'ephemeral';
    return isKnown ? { type: 'ephemeral' as const } : undefined;
  })
  .describe('`{"type":"ephemeral"}`: Anthropic keeps what it read up to here for the next call. Others are not told.');

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object(
    {
      url: z
        .string()
        .refine(
          isPublicImage,
          'must be an image as data (data:image/…) or its address, of at most 16,384 characters, at a public host',
        )
        .describe('An image as data (`data:image/…`), or its address of at most 16,384 characters at a public host.'),
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

/** What Google wants back with what its models made; a client sends it as it came. Google's own name for it. */
const googleExtras = z.object({ google: maybe(z.object({ thought_signature: maybe(z.string()) })) });

/** One tool call of a message. */
export const toolCallShape = z.object({
  id: callId,
  type: z.literal('function'),
  function: z.object({ name: shortName, arguments: z.string() }),
  extra_content: maybe(googleExtras),
});

/** One message, as it is in `bodyShape`. */
export const messageShape = z
  .object({
    role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content,
    name: shortName.optional(),
    refusal: z.string().optional(),
    tool_calls: z.array(toolCallShape).max(itemsMax.tool_calls).optional(),
    /** On `tool` messages: the call that this message answers. */
    tool_call_id: callId.optional(),
    /** On `assistant` messages: the thinking of an earlier answer, as that answer gave it, for a model that wants it back. */
    reasoning_details: z.array(jsonObject).max(itemsMax.reasoning_details).optional(),
    /** On `assistant` messages: the same in plain words, which some providers insist on; `reasoning` is folded into it. */
    reasoning_content: z.string().optional(),
    extra_content: googleExtras.optional(),
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

const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: shortName }) }),
  ],
  { error: "must be 'none', 'auto', 'required', or an object that names a function" },
);

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

/** What tunes an answer, in the order in which providers are sent it. Each is sent on as it is where nothing else is said. */
const params = {
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
};

export type ChatParam = keyof typeof params;

/** The names of what tunes an answer, in the order in which providers are sent it. */
export const chatParams = Object.keys(params) as readonly ChatParam[];

/** What a model must be able to do to take a parameter. The others are for every model. */
export const neededCapabilities: Readonly<Partial<Record<ChatParam, keyof ModelCapabilities>>> = {
  tools: 'tools',
  tool_choice: 'tools',
  parallel_tool_calls: 'tools',
  reasoning_effort: 'reasoning',
};

const endUser = z
  .string()
  .max(4_096)
  .describe(
    'No provider learns it; Anthropic is told a hash. Of 1 to 64 letters, digits and `._:-`, it is `end_user` of the receipt.',
  );

/** What may be in a body once it is normalised and `withoutNulls`; every other field is left out. */
export const bodyShape = z.object({
  /** The public name that the caller used; the answer carries it again. */
  model: z.string().min(1).max(256).describe('A name of `GET /models`, or `provider/model` to pin a provider.'),
  messages: z.array(messageShape).min(1).max(itemsMax.messages).describe('The conversation so far.'),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: maybe(z.boolean()) }).optional(),
  max_tokens: outputTokens.describe('The most tokens to generate; it bounds what is reserved.').optional(),
  /** The most tokens to generate for one choice, reasoning included. */
  max_completion_tokens: outputTokens.describe('The same under its newer name, which wins.').optional(),
  ...params,
  /** What the caller calls its own user. No provider ever learns it; one that asks is told a hash. */
  safety_identifier: endUser.optional(),
  user: endUser.optional(),
});
