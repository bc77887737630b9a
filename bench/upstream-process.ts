import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A provider that answers at once and always the same: a plain answer of 622 bytes, a stream of 50 chunks in OpenAI's form,
 * or one of 50 deltas in Anthropic's (below `/v1/messages`), and one vector of 1,536 numbers (below `/v1/embeddings`). A process of its own; prints its port, ends with its parent.
 * The `seed` that it is asked with is how long it waits before each next chunk, in milliseconds; else its argument is, if any.
 */
const chunkEveryMs = Number(process.argv[2] ?? 0);
const chunkCount = 50;
const plainBytes = 622;

const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'gpt-4o-mini' };
const usage = { prompt_tokens: 20, completion_tokens: chunkCount, total_tokens: 20 + chunkCount };

const plain = fillUp((content) =>
  JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage,
  }),
);

const openaiEvents = [
  ...Array.from({ length: chunkCount }, (_, at) =>
    toChunk({ choices: [toChoice(at === 0 ? 'Hello' : ` w${at}`, null)] }),
  ),
  toChunk({ choices: [toChoice(null, 'stop')] }),
  toChunk({ choices: [], usage }),
  '[DONE]',
].map((data) => Buffer.from(`data: ${data}\n\n`));

const anthropicEvents = [
  { type: 'message_start', message: { ...anthropicMessage(), usage: { input_tokens: 20, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...Array.from({ length: chunkCount }, (_, at) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: ` w${at}` },
  })),
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: chunkCount },
  },
  { type: 'message_stop' },
].map((event) => Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));

const vector = Array.from({ length: 1_536 }, (_, at) => Number(Math.sin(at).toFixed(9)));
const base64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64');
const [asNumbers, asBase64] = [vector, base64].map((embedding) =>
  Buffer.from(
    JSON.stringify({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 12, total_tokens: 12 },
    }),
  ),
) as [Buffer, Buffer];

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const asked = Buffer.concat(pieces);
    const isStreamed = asked.includes('"stream":true');
    if (!isStreamed) {
      const vectors = asked.includes('"base64"') ? asBase64 : asNumbers;
      const body = request.url?.includes('/embeddings') ? vectors : plain;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const everyMs = Number(/"seed":(\d+)/.exec(asked.toString())?.[1] ?? chunkEveryMs);
    sendNext(response, request.url?.includes('/messages') ? anthropicEvents : openaiEvents, { at: 0, everyMs });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().once('close', () => process.exit());

// At full speed one event each turn of the loop, as tokens come one after another.
function sendNext(
  response: ServerResponse,
  events: readonly Buffer[],
  { at, everyMs }: { readonly at: number; readonly everyMs: number },
): void {
  if (at === events.length - 1) {
    response.end(events[at]);
    return;
  }
  response.write(events[at]);
  const next = () => sendNext(response, events, { at: at + 1, everyMs });
  if (everyMs > 0) setTimeout(next, everyMs);
  else setImmediate(next);
}

function toChunk(fields: object): string {
  return JSON.stringify({ ...head, object: 'chat.completion.chunk', system_fingerprint: 'fp_bench', ...fields });
}

function toChoice(content: string | null, finishReason: string | null): object {
  return { index: 0, delta: content === null ? {} : { content }, logprobs: null, finish_reason: finishReason };
}

function anthropicMessage(): object {
  return { id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null };
}

function fillUp(build: (content: string) => string): Buffer {
  const missing = plainBytes - build('').length;
  return Buffer.from(build('a'.repeat(missing)));
}
