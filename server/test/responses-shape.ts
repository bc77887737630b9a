import type { Responses } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { checkResponsesOrder } from './responses-order.js';
import { readNamedEvents } from './wire-events.js';

/*
 * What OpenAI's API reference promises of an answer of `POST /responses` and of each event of its stream, held against the types of
 * the official client: a field that those require and that a shape here lacks does not compile. Further keys are allowed.
 */

const count = z.number().int().min(0);
const text = z.string();
const name = z.string().min(1);
const logprobs = z.array(
  z.object({ token: text, logprob: z.number(), bytes: z.array(count), top_logprobs: z.tuple([]) }),
);

const outputText = z.object({ type: z.literal('output_text'), text, annotations: z.tuple([]), logprobs });
const refusal = z.object({ type: z.literal('refusal'), refusal: text });
const part = z.discriminatedUnion('type', [outputText, refusal]);
const summary = z.object({ type: z.literal('summary_text'), text });

const status = z.enum(['in_progress', 'completed']);
const item = z.discriminatedUnion('type', [
  z.object({ id: name, type: z.literal('message'), role: z.literal('assistant'), status, content: z.array(part) }),
  z.object({ id: name, type: z.literal('reasoning'), summary: z.array(summary) }),
  z.object({ id: name, type: z.literal('function_call'), status, call_id: name, name, arguments: text }),
  z.object({ id: name, type: z.literal('custom_tool_call'), call_id: name, name, input: text }),
]) satisfies z.ZodType<Responses.ResponseOutputItem>;

const usage = z
  .object({
    input_tokens: count,
    input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.object({ reasoning_tokens: count }),
    total_tokens: count,
  })
  .refine((value) => value.total_tokens === value.input_tokens + value.output_tokens, 'the total is the sum');

const response = {
  id: name,
  object: z.literal('response'),
  created_at: count,
  model: name,
  output: z.array(item),
  instructions: z.null(),
  metadata: z.record(text, text),
  parallel_tool_calls: z.boolean(),
  temperature: z.number(),
  tool_choice: z.enum(['none', 'auto', 'required']),
  tools: z.tuple([]),
  top_p: z.number(),
  // What Open Responses (https://www.openresponses.org) demands besides, and clients that were made of it.
  completed_at: count.nullable(),
  background: z.literal(false),
  frequency_penalty: z.number(),
  max_tool_calls: z.null(),
  presence_penalty: z.number(),
  prompt_cache_key: z.null(),
  safety_identifier: z.null(),
  service_tier: z.literal('default'),
  top_logprobs: count,
};
// The clients add `output_text`, and take any code of an error.
const inProgress = z.object({
  ...response,
  status: z.literal('in_progress'),
  error: z.null(),
  incomplete_details: z.null(),
  usage: z.null(),
});
const completed = z.object({
  ...response,
  status: z.literal('completed'),
  error: z.null(),
  incomplete_details: z.null(),
  usage,
}) satisfies z.ZodType<Omit<Responses.Response, 'output_text'>>;
const incomplete = z.object({
  ...response,
  status: z.literal('incomplete'),
  error: z.null(),
  incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }),
  usage,
}) satisfies z.ZodType<Omit<Responses.Response, 'output_text'>>;
const failed = z.object({
  ...response,
  status: z.literal('failed'),
  error: z.object({ code: name, message: name }),
  incomplete_details: z.null(),
}) satisfies z.ZodType<Omit<Responses.Response, 'output_text' | 'error'>>;

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.object({ type: z.literal(`response.${type}` as const), sequence_number: count, ...fields });
const ofItem = { item_id: name, output_index: count };
const ofPart = { ...ofItem, content_index: count };
const ofSummary = { ...ofItem, summary_index: z.literal(0) };

const itemEvents = [
  event('output_item.added', { output_index: count, item }),
  event('output_item.done', { output_index: count, item }),
  event('content_part.added', { ...ofPart, part }),
  event('content_part.done', { ...ofPart, part }),
  event('output_text.delta', { ...ofPart, delta: name, logprobs }),
  event('output_text.done', { ...ofPart, text, logprobs }),
  event('refusal.delta', { ...ofPart, delta: name }),
  event('refusal.done', { ...ofPart, refusal: text }),
  event('reasoning_summary_part.added', { ...ofSummary, part: summary }),
  event('reasoning_summary_part.done', { ...ofSummary, part: summary }),
  event('reasoning_summary_text.delta', { ...ofSummary, delta: name }),
  event('reasoning_summary_text.done', { ...ofSummary, text }),
  event('function_call_arguments.delta', { ...ofItem, delta: name }),
  event('function_call_arguments.done', { ...ofItem, name, arguments: text }),
  event('custom_tool_call_input.delta', { ...ofItem, delta: text }),
  event('custom_tool_call_input.done', { ...ofItem, input: text }),
] as const;
const anyItemEvent = z.discriminatedUnion('type', itemEvents) satisfies z.ZodType<Responses.ResponseStreamEvent>;
const anyEvent = z.union([
  anyItemEvent,
  event('created', { response: inProgress }),
  event('in_progress', { response: inProgress }),
  event('completed', { response: completed }),
  event('incomplete', { response: incomplete }),
  event('failed', { response: failed }),
]);

export type ResponsesItem = z.output<typeof item>;
export type ResponsesEvent = z.output<typeof anyEvent>;
export type ResponsesAnswer = z.output<typeof completed> | z.output<typeof incomplete>;

/** Reads a plain answer. @throws when it is none. */
export function readResponsesAnswer(body: string): ResponsesAnswer {
  return z.union([completed, incomplete]).parse(JSON.parse(body));
}

/** Reads a stream. @throws when an event is not of the documented shape, or not in its place. */
export function readResponsesStream(body: string): readonly ResponsesEvent[] {
  const events = readNamedEvents(body).map((data) => anyEvent.parse(data));
  checkResponsesOrder(events);
  return events;
}
