import { z } from 'zod';

/*
 * What OpenAI's API reference promises of each answer: keys that are required, also where their value may be null, and the
 * closed sets. Further keys are allowed, as OpenAI itself adds them.
 */

const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);
const count = z.number().int().min(0);
const identity = { id: z.string().min(1), created: z.number().int().positive(), model: z.string().min(1) };
const toolFunction = z.object({ name: z.string().min(1), arguments: z.string() });
const logprobs = z.object({ content: z.array(z.unknown()).nullable() }).nullable();

const usage = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count }),
    completion_tokens_details: z.object({ reasoning_tokens: count }),
  })
  .refine((value) => value.total_tokens === value.prompt_tokens + value.completion_tokens, 'the total is the sum');

const completion = z.object({
  ...identity,
  object: z.literal('chat.completion'),
  choices: z
    .array(
      z.object({
        index: count,
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          tool_calls: z
            .array(z.object({ id: z.string().min(1), type: z.literal('function'), function: toolFunction }))
            .min(1)
            .optional(),
          function_call: toolFunction.optional(),
        }),
        logprobs,
        finish_reason: finishReason,
      }),
    )
    .min(1),
  usage,
});

const chunk = z.object({
  ...identity,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.object({
      index: count,
      delta: z.object({
        role: z.literal('assistant').optional(),
        content: z.string().nullable().optional(),
        refusal: z.string().nullable().optional(),
        tool_calls: z
          .array(
            z.object({
              index: count,
              id: z.string().min(1).optional(),
              type: z.literal('function').optional(),
              function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
            }),
          )
          .optional(),
      }),
      logprobs,
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullable().optional(),
});

const error = z.object({
  error: z.object({
    message: z.string().min(1),
    type: z.string().min(1),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

type Chunk = z.output<typeof chunk>;

/** Fails unless a plain answer is a completion, or, with a status of refusal, an error. */
export function checkPlainAnswer(status: number, text: string): void {
  (status === 200 ? completion : error).parse(JSON.parse(text));
}

/**
 * Fails unless a stream is one: an event a line, one identity, one finish reason a choice, usage at the end or nowhere, and
 * an end that is either `[DONE]` or an error.
 */
export function checkStreamedAnswer(text: string): void {
  const events = text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  expect(events.filter((event) => !/^data: [^\n]+$/.test(event))).toEqual([]);
  const data = events.map((event) => event.slice('data: '.length));
  expect(text.endsWith('\n\n')).toBe(true);
  const last = data.at(-1) ?? '';
  const chunks = data.slice(0, -1).map((json) => chunk.parse(JSON.parse(json)));
  if (last === '[DONE]') checkWholeStream(chunks);
  else error.parse(JSON.parse(last));
}

function checkWholeStream(chunks: readonly Chunk[]): void {
  const identities = new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`));
  expect(identities.size).toBe(1);
  const finished = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.finish_reason !== null));
  expect(new Set(finished.map(({ index }) => index)).size).toBe(finished.length);
  expect(finished.length).toBeGreaterThan(0);
  const withUsage = chunks.filter((piece) => piece.usage);
  const wantsUsage = withUsage.length > 0;
  expect(withUsage).toEqual(wantsUsage ? [chunks.at(-1)] : []);
  if (wantsUsage) expect(chunks.at(-1)?.choices).toEqual([]);
  // OpenAI says null there, which OpenRouter's client refuses; every client takes a field that is not there.
  expect(chunks.filter(({ usage }) => usage === null)).toEqual([]);
  expect(chunks.filter((piece) => !piece.usage && piece.choices.length === 0)).toEqual([]);
}
