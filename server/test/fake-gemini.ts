import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GeminiContent, GeminiRequestBody } from '../providers/gemini/gemini-wire.js';
import { LocalServer } from './local-server.js';
import {
  type AnswerPart,
  type AnswerUsage,
  answer,
  blockedAnswer,
  stream,
} from './provider-contracts/gemini-answers.js';

export interface GeminiCall {
  readonly url: string;
  readonly key: string;
  readonly body: GeminiRequestBody;
}

/** What a whole answer of the fake counts: 250 tokens, 30 of them thought. */
const fakeUsage: AnswerUsage = {
  promptTokenCount: 200,
  cachedContentTokenCount: 128,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 30,
  totalTokenCount: 250,
};

const words: readonly AnswerPart[][] = [[{ text: 'Hmm.', thought: true }], [{ text: 'Hel' }], [{ text: 'lo' }]];
const call: AnswerPart[] = [
  { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnbmF0dXJl' },
];

/**
 * Google's interface over real HTTP on a free port. It answers some words, a tool call where tools are offered and no result
 * is there yet, or what the last words of the caller ask for: `@@status=N`, `@@blocked`, `@@cut`,
 * `@@error-event`, `@@stumbles=REASON`, which is an answer of thoughts that ends for that reason, `@@image`, which is one image that nobody counted, and `@@stops`, which writes `STOP` on every event.
 */
export class FakeGemini extends LocalServer {
  readonly calls: GeminiCall[] = [];

  /** For `GEMINI_BASE_URL`. */
  override get baseUrl(): string {
    return `${super.baseUrl}/v1beta`;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as GeminiRequestBody;
    const url = request.url ?? '';
    this.calls.push({ url, key: String(request.headers['x-goog-api-key']), body });
    if (url.endsWith(':batchEmbedContents')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toVectors(body)));
      return;
    }

    const asked = findLastText(body.contents);
    const status = Number(/@@status=(\d+)/.exec(asked)?.[1] ?? 200);
    if (status !== 200) {
      const error = { code: status, message: `Refused in projects/1029384756 at ${this.baseUrl}`, status: 'INTERNAL' };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    } else if (!url.includes(':streamGenerateContent?alt=sse')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toPlain(asked, body)));
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = toStream(asked, body);
      if (asked.includes('@@cut')) response.write(events.slice(0, -1).join(''), () => response.destroy());
      else response.end(events.join(''));
    }
  }
}

interface EmbedRequest {
  readonly content: { readonly parts: readonly { readonly text: string }[] };
  readonly outputDimensionality?: number;
}

// Cut vectors are not of length 1; it counts only where a text says so, as Google's older versions never do.
function toVectors(body: unknown): object {
  const { requests } = body as { requests: readonly EmbedRequest[] };
  const texts = requests.map(({ content }) => content.parts[0]?.text ?? '');
  const embeddings = requests.map(({ outputDimensionality = 4 }) => ({ values: Array(outputDimensionality).fill(2) }));
  const counted = texts.some((text) => text.includes('@@usage'));
  return counted ? { embeddings, usageMetadata: { promptTokenCount: 9 } } : { embeddings };
}

function findLastText(contents: readonly GeminiContent[]): string {
  const [part] = contents.at(-1)?.parts.slice(-1) ?? [];
  return part && 'text' in part ? part.text : '';
}

// What the model thought before it made an invalid tool call is counted.
const toStumble = (asked: string): object | null => {
  const [, finishReason] = /@@stumbles=([A-Z_]+)/.exec(asked) ?? [];
  const usage = { promptTokenCount: 500, thoughtsTokenCount: 3_000, totalTokenCount: 3_500 };
  return finishReason === undefined ? null : answer([], { finishReason: finishReason as 'STOP', usage });
};

const wantsCall = ({ tools, contents }: GeminiRequestBody) =>
  tools !== undefined && !JSON.stringify(contents).includes('functionResponse');

function toPlain(asked: string, body: GeminiRequestBody): object {
  if (asked.includes('@@blocked')) return blockedAnswer('SAFETY', { promptTokenCount: 11, totalTokenCount: 11 });
  const stumble = toStumble(asked);
  if (stumble !== null) return stumble;
  if (asked.includes('@@image'))
    return answer([{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }], { usage: {} });
  return answer(wantsCall(body) ? call : words.flat(), { usage: fakeUsage });
}

const withStop = (event: string) =>
  event.replace(/"index":0(,"finishReason":"STOP")?/, '"index":0,"finishReason":"STOP"');

function toStream(asked: string, body: GeminiRequestBody): string[] {
  if (/@@(?:blocked|image|stumbles)/.test(asked)) return [`data: ${JSON.stringify(toPlain(asked, body))}\r\n\r\n`];
  const stops = asked.includes('@@stops');
  const called = stops ? [[{ text: 'Wait. ' }], call] : [call];
  const steps = stream(wantsCall(body) ? called : words, { usage: fakeUsage }, true);
  const events = stops ? steps.map(withStop) : steps;
  const failure = 'data: {"error":{"code":503,"message":"projects/1029384756 is busy","status":"UNAVAILABLE"}}\r\n\r\n';
  return asked.includes('@@error-event') ? [...events.slice(0, 2), failure] : events;
}
