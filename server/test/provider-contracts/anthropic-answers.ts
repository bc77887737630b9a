import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  RefusalStopDetails,
  StopReason,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '../../providers/chat-types.js';
import { toEvent } from '../provider-contract-case.js';

/*
 * Answers in the shapes of https://platform.claude.com/docs/en/api/messages and /docs/en/build-with-claude/streaming, typed by
 * the official client: a field that it does not know, or that we forgot, does not compile.
 */

/** One content block, and the deltas in which it is streamed. */
export interface RecordedBlock {
  readonly whole: ContentBlock;
  readonly start: ContentBlock;
  readonly deltas: readonly RawContentBlockDelta[];
}

export interface RecordedEnd {
  readonly stopReason: StopReason;
  readonly stopDetails?: RefusalStopDetails;
  readonly stopSequence?: string;
  /** Beside the cache; the cache's own counts are 0 unless said. */
  readonly inputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
  readonly thinkingTokens?: number;
}

export function textBlock(...pieces: string[]): RecordedBlock {
  return {
    whole: { type: 'text', text: pieces.join(''), citations: null },
    start: { type: 'text', text: '', citations: null },
    deltas: pieces.map((text) => ({ type: 'text_delta', text }) as const),
  };
}

export function thinkingBlock(signature: string, ...pieces: string[]): RecordedBlock {
  return {
    whole: { type: 'thinking', thinking: pieces.join(''), signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking }) as const),
      { type: 'signature_delta', signature },
    ],
  };
}

export function redactedBlock(data: string): RecordedBlock {
  const block = { type: 'redacted_thinking', data } as const;
  return { whole: block, start: block, deltas: [] };
}

/** The first piece of a tool's input is always empty. */
export function toolBlock(id: string, name: string, input: JsonObject, ...pieces: string[]): RecordedBlock {
  const head = { type: 'tool_use', id, name, caller: { type: 'direct' } } as const;
  return {
    whole: { ...head, input },
    start: { ...head, input: {} },
    deltas: ['', ...pieces].map((text) => ({ type: 'input_json_delta', partial_json: text }) as const),
  };
}

const head = {
  id: 'msg_theirs',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5',
  container: null,
  diagnostics: null,
} as const;

/** The plain answer. */
export function plainAnswer(blocks: readonly RecordedBlock[], end: RecordedEnd): Message {
  return {
    ...head,
    content: blocks.map(({ whole }) => whole),
    stop_reason: end.stopReason,
    stop_details: end.stopDetails ?? null,
    stop_sequence: end.stopSequence ?? null,
    usage: toUsage(end, end.outputTokens),
  };
}

/** The data of the streamed answer's events. Usage at the start is provisional; at the end it is cumulative. */
export function streamedData(blocks: readonly RecordedBlock[], end: RecordedEnd): RawMessageStreamEvent[] {
  const message = { ...head, content: [], stop_reason: null, stop_details: null, stop_sequence: null };
  const { thinkingTokens: _later, ...begun } = end;
  return [
    { type: 'message_start', message: { ...message, usage: toUsage(begun, 1) } },
    ...blocks.flatMap(({ start, deltas }, index): RawMessageStreamEvent[] => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta }) as const),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: {
        stop_reason: end.stopReason,
        stop_details: end.stopDetails ?? null,
        stop_sequence: end.stopSequence ?? null,
        container: null,
      },
      usage: toDeltaUsage(end),
    },
    { type: 'message_stop' },
  ];
}

/** The streamed answer, with the ping that always comes early. */
export function streamedAnswer(blocks: readonly RecordedBlock[], end: RecordedEnd): string[] {
  const events = streamedData(blocks, end).map((data) => toEvent(data, String(data.type)));
  return [events[0] ?? '', toEvent({ type: 'ping' }, 'ping'), ...events.slice(1)];
}

function toUsage(end: RecordedEnd, outputTokens: number): Usage {
  const { thinkingTokens, cacheWriteTokens = 0, cacheReadTokens = 0, inputTokens } = end;
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: thinkingTokens === undefined ? null : { thinking_tokens: thinkingTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

// What the start said need not be said again.
function toDeltaUsage({ outputTokens, thinkingTokens }: RecordedEnd): MessageDeltaUsage {
  return {
    input_tokens: null,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
    output_tokens: outputTokens,
    output_tokens_details: thinkingTokens === undefined ? null : { thinking_tokens: thinkingTokens },
    server_tool_use: null,
  };
}
