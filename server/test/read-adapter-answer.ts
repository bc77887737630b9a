import { ServerSentEventDecoder } from '../providers/answers/server-sent-events.js';
import type { AssistantMessage, ChatCompletionChunk, FinishReason, JsonObject } from '../providers/chat-types.js';
import type { AnswerContext, ProviderAdapter, TokenUsage, UpstreamEvent } from '../providers/provider-adapter.js';

/** What an adapter made of one answer. */
export interface ReadAnswer {
  readonly events: readonly UpstreamEvent[];
  readonly message: JsonObject;
  readonly finishReason: FinishReason | null;
  /** The last that was reported. */
  readonly usage: TokenUsage | null;
}

/** Reads a plain answer. */
export function readPlain(adapter: ProviderAdapter, body: string, context: AnswerContext): ReadAnswer {
  const events = adapter.parseResponse(body, context);
  const completion = events.find((event) => event.type === 'completion')?.completion;
  const choice = completion?.choices[0];
  return {
    events,
    message: choice ? dropAbsent(choice.message) : {},
    finishReason: choice?.finish_reason ?? null,
    usage: findLastUsage(events),
  };
}

/**
 * Reads the bytes of a stream as the client of providers does, and puts the first choice together from its chunks.
 * @returns null when the stream ended before its answer was whole, which the client reports as an error.
 * @throws what the adapter throws.
 */
export function readStream(adapter: ProviderAdapter, bytes: Buffer, context: AnswerContext): ReadAnswer | null {
  const parser = adapter.parseStream(context);
  const decoder = new ServerSentEventDecoder(1_000_000);
  const events: UpstreamEvent[] = [];
  for (const event of decoder.push(bytes)) events.push(...parser.push(event));
  if (!parser.isEnded) {
    for (const event of decoder.end()) {
      try {
        events.push(...parser.push(event));
      } catch (error) {
        // Half an event after a whole answer takes nothing from it.
        if (!parser.isWhole) throw error;
      }
    }
  }
  events.push(...(parser.end?.() ?? []));
  if (!parser.isWhole) return null;
  const chunks = events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []));
  return { events, usage: findLastUsage(events), ...joinChunks(chunks) };
}

function findLastUsage(events: readonly UpstreamEvent[]): TokenUsage | null {
  return events.reduce<TokenUsage | null>((last, event) => (event.type === 'usage' ? event.usage : last), null);
}

// As OpenAI's own clients do it: texts are joined, lists appended, tool calls built by their index.
function joinChunks(chunks: readonly ChatCompletionChunk[]): Pick<ReadAnswer, 'message' | 'finishReason'> {
  const message: Record<string, unknown> = {};
  const toolCalls: Record<string, unknown>[] = [];
  let finishReason: FinishReason | null = null;
  for (const choice of chunks.flatMap(({ choices }) => choices.filter(({ index }) => index === 0))) {
    finishReason = choice.finish_reason ?? finishReason;
    const { tool_calls: pieces = [], ...delta } = choice.delta;
    for (const [field, value] of Object.entries(delta)) message[field] = join(message[field], value);
    for (const { index, function: target, ...piece } of pieces) {
      const known = toolCalls[index] ?? { function: { name: '', arguments: '' } };
      const soFar = known.function as { name: string; arguments: string };
      const name = soFar.name + (target?.name ?? '');
      toolCalls[index] = {
        ...known,
        ...piece,
        function: { name, arguments: soFar.arguments + (target?.arguments ?? '') },
      };
    }
  }
  if (toolCalls.length > 0) message.tool_calls = toolCalls;
  return { message: dropAbsent({ ...message, role: 'assistant' }), finishReason };
}

function join(known: unknown, piece: unknown): unknown {
  if (typeof known === 'string' && typeof piece === 'string') return known + piece;
  if (Array.isArray(known) && Array.isArray(piece)) return [...known, ...piece];
  return piece ?? known;
}

// Nothing, null and '' say the same of a text.
function dropAbsent(message: AssistantMessage | Record<string, unknown>): JsonObject {
  const filled = Object.entries(message).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return Object.fromEntries(filled);
}
