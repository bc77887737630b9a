import { type MessagesBlock, type MessagesEvent, readMessagesAnswer, readMessagesStream } from './messages-shape.js';
import { checkPlainAnswer, checkStreamedAnswer } from './openai-shape.js';
import { type ResponsesItem, readResponsesAnswer, readResponsesStream } from './responses-shape.js';
import type { MatrixWire } from './wire-questions.js';

/** What a caller sees of an answer, whichever wire it came on. */
export interface SeenAnswer {
  /** Why it ended, in the words of the wire; null for one that broke off. */
  readonly end: string | null;
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** All tokens that the answer says were billed; 0 for one that broke off. */
  readonly tokens: number;
}

/** Reads a whole plain answer. @throws when it has not the documented shape of the wire. */
export function readPlainAnswer(wire: MatrixWire, body: string): SeenAnswer {
  if (wire === 'responses') {
    const answer = readResponsesAnswer(body);
    return seeItems(answer.output, { end: endOf(answer), tokens: answer.usage.total_tokens });
  }
  if (wire === 'messages') {
    const { content, stop_reason: end, usage } = readMessagesAnswer(body);
    return seeBlocks(content, { end, tokens: sumOf(usage) });
  }
  checkPlainAnswer(200, body);
  const { choices, usage } = JSON.parse(body) as ChatAnswer;
  return seeChat([choices[0]?.message ?? {}], { end: choices[0]?.finish_reason ?? null, tokens: usage.total_tokens });
}

/** Reads a stream, whole or broken off. @throws when an event has not the documented shape of the wire, or not its place. */
export function readStreamedAnswer(wire: MatrixWire, body: string): SeenAnswer {
  if (wire === 'responses') {
    const last = readResponsesStream(body).at(-1);
    if (last === undefined || !('response' in last)) throw new Error('The stream has no end.');
    const { response } = last;
    const end = response.status === 'failed' ? null : endOf(response);
    return seeItems(response.output, { end, tokens: 'usage' in response ? (response.usage?.total_tokens ?? 0) : 0 });
  }
  if (wire === 'messages') return joinBlocks(readMessagesStream(body));
  checkStreamedAnswer(body);
  const data = body.split('\n').filter((line) => line.startsWith('data: {') && !line.startsWith('data: {"error"'));
  const chunks = data.map((line) => JSON.parse(line.slice('data: '.length)) as ChatPiece);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const isWhole = body.endsWith('data: [DONE]\n\n');
  return seeChat(
    choices.map(({ delta }) => delta),
    {
      end: isWhole ? (choices.find((choice) => choice.finish_reason)?.finish_reason ?? null) : null,
      tokens: chunks.findLast(({ usage }) => usage)?.usage?.total_tokens ?? 0,
    },
  );
}

type End = Pick<SeenAnswer, 'end' | 'tokens'>;

interface ChatDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface ChatAnswer {
  readonly choices: readonly { readonly message: ChatDelta; readonly finish_reason: string }[];
  readonly usage: { readonly total_tokens: number };
}

interface ChatPiece {
  readonly choices: readonly { readonly delta: ChatDelta; readonly finish_reason: string | null }[];
  readonly usage?: { readonly total_tokens: number } | null;
}

function seeChat(deltas: readonly ChatDelta[], end: End): SeenAnswer {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const delta of deltas) {
    for (const [place, piece] of (delta.tool_calls ?? []).entries()) {
      const index = piece.index ?? place;
      calls[index] ??= { id: piece.id ?? '', name: piece.function?.name ?? '', arguments: '' };
      calls[index].arguments += piece.function?.arguments ?? '';
    }
  }
  const join = (field: 'content' | 'refusal' | 'reasoning_content') =>
    deltas.map((delta) => delta[field] ?? '').join('');
  return { ...end, text: join('content'), refusal: join('refusal'), reasoning: join('reasoning_content'), calls };
}

function endOf({
  status,
  incomplete_details: details,
}: {
  status: string;
  incomplete_details: { reason: string } | null;
}) {
  return details?.reason ?? status;
}

function seeItems(items: readonly ResponsesItem[], end: End): SeenAnswer {
  const parts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
  return {
    ...end,
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    reasoning: items
      .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      .map(({ text }) => text)
      .join(''),
    calls: items.flatMap((item) =>
      item.type === 'function_call' ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
    ),
  };
}

function seeBlocks(blocks: readonly MessagesBlock[], end: End): SeenAnswer {
  return {
    ...end,
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    // A refusal is text on this wire, and told by the reason why the answer ends.
    refusal: '',
    reasoning: blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input) }] : [],
    ),
  };
}

// As Anthropic's own clients put it together.
function joinBlocks(events: readonly MessagesEvent[]): SeenAnswer {
  const blocks: MessagesBlock[] = [];
  const inputs: string[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block };
    if (event.type !== 'content_block_delta') continue;
    const block = blocks[event.index];
    const { delta } = event;
    if (block?.type === 'text' && delta.type === 'text_delta') block.text += delta.text;
    if (block?.type === 'thinking' && delta.type === 'thinking_delta') block.thinking += delta.thinking;
    if (delta.type === 'input_json_delta') inputs[event.index] = (inputs[event.index] ?? '') + delta.partial_json;
  }
  const isWhole = events.at(-1)?.type === 'message_stop';
  if (isWhole) {
    for (const [index, input] of inputs.entries()) {
      const block = blocks[index];
      if (block?.type === 'tool_use' && input) block.input = JSON.parse(input) as Record<string, unknown>;
    }
  }
  const last = events.findLast((event) => event.type === 'message_delta');
  return seeBlocks(blocks, { end: last?.delta.stop_reason ?? null, tokens: last ? sumOf(last.usage) : 0 });
}

function sumOf(
  usage: Record<'input_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens' | 'output_tokens', number>,
) {
  const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  return input + written + read + usage.output_tokens;
}
