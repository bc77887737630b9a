import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import { checkMessagesOrder } from './messages-order.js';
import { readNamedEvents } from './wire-events.js';

/*
 * What Anthropic's API reference promises of an answer of `POST /v1/messages` and of each event of its stream, held against the
 * types of the official client. Further keys are allowed. What those types allow to be null may be absent, and `caller`, which names
 * who called a tool, is left out: every client was seen to run without them, and older ones do not know them.
 */

type Absent<Type> = { [Field in keyof Type]: null extends Type[Field] ? Field : never }[keyof Type] | 'caller';
/** A type of the client without what may be absent. */
type OnTheWire<Type> = Type extends string | number | boolean
  ? Type
  : Type extends readonly (infer Item)[]
    ? OnTheWire<Item>[]
    : Type extends object
      ? { [Field in Exclude<keyof Type, Absent<Type>>]: OnTheWire<Type[Field]> }
      : Type;

const count = z.number().int().min(0);
const text = z.string();
const name = z.string().min(1);

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('thinking'), thinking: text, signature: text }),
  z.object({ type: z.literal('redacted_thinking'), data: name }),
  z.object({ type: z.literal('tool_use'), id: name, name, input: z.record(text, z.unknown()) }),
]);
const usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
});
const stopReason = z.enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']);
const head = {
  id: name,
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: name,
  stop_sequence: z.null(),
  usage,
};
const whole = z.object({
  ...head,
  content: z.array(block),
  stop_reason: stopReason,
}) satisfies z.ZodType<OnTheWire<Message>>;

const blockDelta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: name }),
  z.object({ type: z.literal('thinking_delta'), thinking: name }),
  z.object({ type: z.literal('signature_delta'), signature: name }),
  z.object({ type: z.literal('input_json_delta'), partial_json: name }),
]);
const messageEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ ...head, content: z.tuple([]), stop_reason: z.null() }),
  }),
  z.object({ type: z.literal('content_block_start'), index: count, content_block: block }),
  z.object({ type: z.literal('content_block_delta'), index: count, delta: blockDelta }),
  z.object({ type: z.literal('content_block_stop'), index: count }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: stopReason, stop_sequence: z.null() }),
    usage,
  }),
  z.object({ type: z.literal('message_stop') }),
]) satisfies z.ZodType<OnTheWire<RawMessageStreamEvent>>;
const error = z.object({
  type: z.literal('error'),
  error: z.object({ type: z.string().regex(/_error$|^request_too_large$/), message: name }),
  request_id: name,
});
const anyEvent = z.union([messageEvent, error, z.object({ type: z.literal('ping') })]);

export type MessagesBlock = z.output<typeof block>;
export type MessagesEvent = z.output<typeof anyEvent>;
export type MessagesAnswer = z.output<typeof whole>;

/** Reads a plain answer. @throws when it is none. */
export function readMessagesAnswer(body: string): MessagesAnswer {
  return whole.parse(JSON.parse(body));
}

/** Reads the body of a refusal. @throws when it is none. */
export function readMessagesError(body: string): z.output<typeof error> {
  return error.parse(JSON.parse(body));
}

/** Reads a stream. @throws when an event is not of the documented shape, or not in its place. */
export function readMessagesStream(body: string): readonly MessagesEvent[] {
  const events = readNamedEvents(body).map((data) => anyEvent.parse(data));
  checkMessagesOrder(events);
  return events;
}
