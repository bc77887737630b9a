import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';
import { toEvent } from './provider-contract-case.js';
import { plainAnswer, type RecordedEnd, streamedAnswer, textBlock } from './provider-contracts/anthropic-answers.js';

export interface AnthropicCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly stream?: boolean; readonly messages: readonly { readonly content: unknown }[] };
}

const end = {
  stopReason: 'end_turn',
  inputTokens: 40,
  cacheReadTokens: 128,
  cacheWriteTokens: 32,
  outputTokens: 50,
} as const;

const ends: Readonly<Record<string, RecordedEnd>> = {
  '@@stop-sequence': { ...end, stopReason: 'stop_sequence', stopSequence: '</x>' },
  '@@context-full': { ...end, stopReason: 'model_context_window_exceeded' },
};

/** Everything that a call of it is billed: the prompt with both sides of its cache, and the answer. */
export const anthropicTokens = { prompt: 200, completion: 50 };

const overloaded = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded: org-Tollgate123' },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
};

/**
 * Anthropic's Messages API over real HTTP, on a free port. It says “Grüße from Claude”, with a cached prompt in its usage; the
 * words `@@overloaded`, `@@error-event` and `@@cut` in the question make it refuse, fail or break off, `@@stop-sequence` and
 * `@@context-full` end for that reason.
 */
export class FakeAnthropic extends LocalServer {
  /** Every call so far, oldest first. */
  readonly calls: AnthropicCall[] = [];

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as AnthropicCall['body'];
    this.calls.push({ path: request.url ?? '', headers: request.headers, body });
    const question = JSON.stringify(body.messages.at(-1)?.content);
    const [, asked = end] = Object.entries(ends).find(([word]) => question.includes(word)) ?? [];
    const blocks = [textBlock('Grüße ', 'from ', 'Claude')];
    if (question.includes('@@overloaded')) {
      response.writeHead(529, { 'content-type': 'application/json', 'retry-after': '2' });
      response.end(JSON.stringify(overloaded));
    } else if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plainAnswer(blocks, asked)));
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const events = streamedAnswer(blocks, asked);
      const begun = events.slice(0, 5).join('');
      if (question.includes('@@error-event')) response.end(begun + toEvent(overloaded, 'error'));
      else if (question.includes('@@cut')) response.write(begun, () => response.destroy());
      else response.end(events.join(''));
    }
  }
}
