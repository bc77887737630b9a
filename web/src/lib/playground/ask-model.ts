import { EventSourceParserStream } from 'eventsource-parser/stream';
import { shownOwnerHeaders, tellOfOwnerElsewhere } from '../session/session-owner';
import { type ChatMessage, type ChatSettings, toChatBody } from './chat-body';

/** What an answer took and cost. */
export interface AnswerFigures {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** null: it will be known when the database is back. */
  readonly credits: number | null;
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly finishReason: string | null;
  /** The tools that the model asks to be run; a program would, and send what came out. */
  readonly toolCalls?: readonly ToolCall[];
}

export interface ToolCall {
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly input: string;
}

/** A refusal, or an answer that broke off. */
export class ChatError extends Error {
  override readonly name = 'ChatError';

  constructor(
    message: string,
    /** Of the server; `unreachable` when it gave none. */
    readonly code: string,
  ) {
    super(message);
  }
}

interface Question {
  readonly url: string;
  readonly settings: ChatSettings;
  readonly messages: readonly ChatMessage[];
  readonly signal: AbortSignal;
  /** Told at once when the server has taken the call, with its id. */
  readonly onCall: (callId: string) => void;
  /** Told each piece of the answer's text. */
  readonly onText: (text: string) => void;
}

interface ChunkMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: ChunkMessage;
    readonly message?: ChunkMessage;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly credits?: number;
  } | null;
  readonly error?: { readonly message?: string; readonly code?: string | null };
}

/**
 * Asks a model as whoever is signed in; it is billed as any call.
 * @throws ChatError with words for the reader; the signal's own error when it was stopped.
 */
export async function askModel(question: Question): Promise<AnswerFigures> {
  const { url, settings, messages, signal } = question;
  const startedMs = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...shownOwnerHeaders() },
    body: JSON.stringify(toChatBody(settings, messages)),
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : new ChatError('Tollgate cannot be reached. Check your connection.', 'unreachable');
  });
  question.onCall(response.headers.get('x-request-id') ?? '');
  if (!response.ok) throw await readRefusal(response);
  const reading = new AnswerReading(startedMs, question.onText);
  try {
    if (settings.isStreamed) await readStream(response, reading);
    else reading.take((await response.json()) as Chunk);
  } catch (error) {
    if (signal.aborted || error instanceof ChatError) throw error;
    throw new ChatError('The connection was lost. The receipt shows what was charged.', 'unreachable');
  }
  return reading.figures();
}

async function readRefusal(response: Response): Promise<ChatError> {
  const body = (await response.json().catch(() => ({}))) as Chunk;
  if (body.error?.code === 'session_of_another') tellOfOwnerElsewhere();
  return new ChatError(
    body.error?.message ?? `The server answered ${response.status}.`,
    body.error?.code ?? 'internal',
  );
}

async function readStream(response: Response, reading: AnswerReading): Promise<void> {
  if (response.body === null) throw new ChatError('The answer was empty.', 'unreachable');
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    // A stream without [DONE] is not complete, whatever it holds.
    if (done) throw new ChatError('The answer ended early.', 'unreachable');
    if (value.data === '[DONE]') return;
    reading.take(JSON.parse(value.data) as Chunk);
  }
}

/** What is known of an answer while it arrives. */
class AnswerReading {
  #firstTokenMs: number | null = null;
  #usage: NonNullable<Chunk['usage']> | null = null;
  #finishReason: string | null = null;
  readonly #toolCalls: { name: string; input: string }[] = [];

  constructor(
    private readonly startedMs: number,
    private readonly onText: (text: string) => void,
  ) {}

  take(chunk: Chunk): void {
    if (chunk.error)
      throw new ChatError(chunk.error.message ?? 'The answer was cut off.', chunk.error.code ?? 'internal');
    const choice = chunk.choices?.[0];
    const message = choice?.delta ?? choice?.message;
    const text = message?.content ?? '';
    const toolCalls = message?.tool_calls ?? [];
    if (text !== '' || toolCalls.length > 0) this.#firstTokenMs ??= performance.now() - this.startedMs;
    if (text !== '') this.onText(text);
    toolCalls.forEach((part, at) => {
      this.#takeToolCall(part.index ?? at, part.function ?? {});
    });
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    this.#usage = chunk.usage ?? this.#usage;
  }

  // A stream brings the name first, and then the input in pieces.
  #takeToolCall(index: number, part: { readonly name?: string; readonly arguments?: string }): void {
    const call = this.#toolCalls[index] ?? { name: '', input: '' };
    call.name += part.name ?? '';
    call.input += part.arguments ?? '';
    this.#toolCalls[index] = call;
  }

  figures(): AnswerFigures {
    const totalMs = performance.now() - this.startedMs;
    return {
      promptTokens: this.#usage?.prompt_tokens ?? 0,
      completionTokens: this.#usage?.completion_tokens ?? 0,
      credits: this.#usage?.credits ?? null,
      firstTokenMs: this.#firstTokenMs ?? totalMs,
      totalMs,
      finishReason: this.#finishReason,
      toolCalls: this.#toolCalls.filter(Boolean),
    };
  }
}
