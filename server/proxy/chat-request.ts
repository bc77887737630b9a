import { z } from 'zod';
import { AppError } from '../kernel/app-error.js';
import type { ChatRequest } from '../providers/chat-types.js';

/** What a caller asked for, ready to be priced and sent. */
export interface ParsedChatRequest {
  readonly request: ChatRequest;
  /** Whether a streamed answer ends with a chunk of usage. */
  readonly wantsUsageChunk: boolean;
}

const maybe = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? undefined) as z.ZodType<z.output<Shape> | undefined>;

const jsonObject = z.record(z.string(), z.unknown());

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string(), detail: maybe(z.enum(['auto', 'low', 'high'])) }),
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
});

const message = z
  .object({
    role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content,
    name: maybe(z.string()),
    refusal: maybe(z.string()),
    tool_calls: maybe(z.array(toolCall)),
    tool_call_id: maybe(z.string()),
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

const body = z.object({
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
  stop: maybe(z.union([z.string(), z.array(z.string()).min(1).max(4)])),
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
});

// Each of these costs more than its tokens, or comes back in a form that tokens do not measure. Dropping them in silence
// would answer another question than was asked; passing them on would give away what was not priced.
const unpricedFields = ['audio', 'web_search_options', 'prediction', 'functions', 'function_call'] as const;

/**
 * Reads a caller's body. Fields outside the list are ignored and never sent on; `null` means absent.
 * @throws AppError naming the field at fault: `invalid_json`, `missing_required_parameter`, `invalid_type`,
 *   `invalid_value` or `unsupported_parameter`.
 */
export function parseChatRequest(text: string): ParsedChatRequest {
  const received = parseJsonObject(text);
  refuseUnpricedFields(received);
  const parsed = body.safeParse(received);
  if (!parsed.success) throw toFieldError(parsed.error.issues[0] as z.core.$ZodIssue, received);
  const { max_tokens, max_completion_tokens, stream_options, ...fields } = parsed.data;
  return {
    // Zod leaves `undefined` on absent optional fields; the types allow that, and JSON drops it.
    request: { ...fields, max_completion_tokens: max_completion_tokens ?? max_tokens } as ChatRequest,
    wantsUsageChunk: fields.stream === true && stream_options?.include_usage === true,
  };
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid JSON. Send a JSON object with `model` and `messages`.', {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_json', 'The body must be a JSON object with `model` and `messages`.');
  }
  refuseDeepNesting(value);
  return value as Readonly<Record<string, unknown>>;
}

const nestingMax = 64;

// JSON.parse reads any depth, but JSON.stringify and the checks below recurse: deep nesting would break them.
function refuseDeepNesting(root: object): void {
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > nestingMax) {
      throw new AppError('invalid_value', `The body is nested more than ${nestingMax} levels deep. Flatten it.`);
    }
    level = level.flatMap((parent) =>
      Object.values(parent).filter((child) => typeof child === 'object' && child !== null),
    );
  }
}

function refuseUnpricedFields(received: Readonly<Record<string, unknown>>): void {
  const field = unpricedFields.find((name) => received[name] !== undefined && received[name] !== null);
  const modalities = Array.isArray(received.modalities) ? received.modalities : ['text'];
  const param = field ?? (modalities.some((modality) => modality !== 'text') ? 'modalities' : null);
  if (param === null) return;
  throw new AppError('unsupported_parameter', `Unsupported parameter: '${param}' is not offered here. Remove it.`, {
    param,
  });
}

function toFieldError(issue: z.core.$ZodIssue, received: unknown): AppError {
  const param = toDottedPath(issue.path);
  const isMissing =
    findAt(received, issue.path) === undefined || (issue.code === 'custom' && issue.params?.isMissing === true);
  if (isMissing) {
    return new AppError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param });
  }
  const isTypeFault = issue.code === 'invalid_type' || issue.code === 'invalid_union';
  return new AppError(isTypeFault ? 'invalid_type' : 'invalid_value', `Invalid '${param}': ${issue.message}.`, {
    param,
  });
}

function toDottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
}

function findAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((parent, step) => (parent as Record<PropertyKey, unknown> | undefined)?.[step], value);
}
