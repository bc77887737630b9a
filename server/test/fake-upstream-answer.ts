import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeDelta, findDeltas, findFinishReason, joinDeltas } from './fake-upstream-deltas.js';
import type { FaultVerbs } from './fake-upstream-verbs.js';

interface FakeCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Record<string, unknown>;
  readonly verbs: FaultVerbs;
}

const json = { 'content-type': 'application/json' };
const upstreamId = 'chatcmpl-upstream-secret';

/** Answers one chat request as its verbs say. */
export async function answerFake(call: FakeCall): Promise<void> {
  const { response, verbs, body } = call;
  const redirect = verbs.get('redirect');
  if (verbs.has('identity')) response.setHeader('content-encoding', ' Identity,');
  if (verbs.has('no-coding')) response.setHeader('content-encoding', '');
  if (verbs.has('continue')) response.writeContinue();
  if (verbs.has('processing')) response.writeProcessing();
  if (verbs.has('stall')) return;
  if (redirect !== undefined) response.writeHead(307, { location: redirect }).end();
  else if (verbs.has('status')) refuse(call);
  else if (verbs.has('html')) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  else if (verbs.has('json-error'))
    response.writeHead(200, json).end(JSON.stringify({ error: { message: 'no', code: 502 } }));
  else if (verbs.has('gzip')) response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('not really');
  else if (verbs.has('plain-as-stream') || (body.stream === true && !verbs.has('stream-as-json'))) await stream(call);
  else await answerWhole(call);
}

// The body gives away what a careless provider could: our key, its host, our organisation.
function refuse({ request, response, verbs }: FakeCall): void {
  const status = Number(verbs.get('status'));
  const key = String(request.headers.authorization ?? '').replace('Bearer ', '');
  const message = verbs.has('too-large')
    ? 'Request too large for gpt in organization org-Tollgate123 on tokens per min (TPM): Limit 10, Requested 20.'
    : `Fault ${status} for key ${key} of org-Tollgate123 at https://internal.upstream.example/v1, host db7.internal`;
  const retryAfter = verbs.get('retry-after');
  response.writeHead(status, { ...json, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) });
  response.end(
    JSON.stringify({ error: { message, type: 'some_error', param: null, code: verbs.get('code') ?? null } }),
  );
}

function makeDeltas({ verbs, body }: FakeCall): { deltas: readonly FakeDelta[]; isCut: boolean } {
  const wanted = findDeltas(verbs);
  const cap = Number(body.max_tokens ?? body.max_completion_tokens ?? Number.POSITIVE_INFINITY);
  if (verbs.has('ignore-cap') || wanted.length <= cap) return { deltas: wanted, isCut: false };
  return { deltas: wanted.slice(0, cap), isCut: true };
}

// As text, because a test may want numbers that JSON.stringify would never write, such as 1e400.
function writeUsage(verbs: FaultVerbs, outputTokens: number): string {
  const [prompt, ...completion] = (verbs.get('usage') ?? `11,${outputTokens}`).split(',');
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion.join()}}`;
}

async function answerWhole(call: FakeCall): Promise<void> {
  const { response, verbs } = call;
  const { deltas, isCut } = makeDeltas(call);
  await delayAll(verbs, deltas.length);
  const choice = { index: 0, message: joinDeltas(deltas), finish_reason: findFinishReason(deltas, isCut) };
  const head = JSON.stringify({
    id: upstreamId,
    object: 'chat.completion',
    created: 1,
    model: 'upstream-name',
    choices: [choice],
  });
  const usage = verbs.has('no-usage') ? '' : `,"usage":${writeUsage(verbs, deltas.length)}`;
  const mark = verbs.has('byte-order-mark') ? '\uFEFF' : '';
  const text = verbs.has('bad-json') ? head.slice(0, -9) : `${mark}${head.slice(0, -1)}${usage}}`;
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) });
  if (verbs.has('cut-before-body')) breakOff(response);
  else if (verbs.has('cut')) response.write(text.slice(0, text.length / 2), () => response.destroy());
  else if (verbs.has('stall-mid')) response.write(text.slice(0, text.length / 2));
  else response.end(text);
}

async function stream(call: FakeCall): Promise<void> {
  const { response, verbs } = call;
  const { deltas, isCut } = makeDeltas(call);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (verbs.has('cut-before-body')) return breakOff(response);
  if (verbs.has('bad-json')) return void response.end('data: {"id": "x", "choi\n\n');

  if (verbs.has('usage-first')) writeUsageEvent(response, writeUsage(verbs, 1));
  const cutAfter = verbs.has('cut') ? Number(verbs.get('cut')) : Number.POSITIVE_INFINITY;
  for (const [index, delta] of deltas.entries()) {
    if (index >= cutAfter) return breakOff(response);
    await delayAll(verbs, 1);
    if (response.destroyed) return;
    if (!response.write(toEvent({ role: 'assistant', ...delta }))) await drained(response);
    if (verbs.has('stall-mid')) return;
    if (verbs.has('error-event')) return void response.end('data: {"error":{"message":"org-Tollgate123 failed"}}\n\n');
  }
  if (cutAfter !== Number.POSITIVE_INFINITY) return breakOff(response);
  await endStream(call, deltas.length, findFinishReason(deltas, isCut));
}

async function endStream({ response, verbs, body }: FakeCall, outputTokens: number, finishReason: string) {
  const isUsageAskedFor = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
  const isUsageWanted = isUsageAskedFor || verbs.has('usage-unasked');
  const usage = verbs.has('no-usage') || !isUsageWanted ? null : writeUsage(verbs, outputTokens);
  const isOnFinish = verbs.has('usage-on-finish');
  const finish = toEvent({}, finishReason);
  if (!verbs.has('no-finish')) {
    response.write(isOnFinish && usage !== null ? finish.replace(/}\n\n$/, `,"usage":${usage}}\n\n`) : finish);
  }
  if (verbs.has('usage-after')) await sleep(Number(verbs.get('usage-after')), null, { ref: false });
  if (usage !== null && !isOnFinish) writeUsageEvent(response, usage);
  if (!verbs.has('no-done')) response.write('data: [DONE]\n\n');
  if (verbs.has('after-done')) response.write(toEvent({ content: 'after the end' }));
  response.end();
}

function writeUsageEvent(response: ServerResponse, usage: string): void {
  response.write(`data: {"id":"${upstreamId}","choices":[],"usage":${usage}}\n\n`);
}

function toEvent(delta: object, finishReason: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  const chunk = {
    id: upstreamId,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream-name',
    choices: [choice],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

// What was written before goes out first; then the connection closes without an end.
function breakOff(response: ServerResponse): void {
  response.flushHeaders();
  const { socket } = response;
  if (socket) socket.write('', () => response.destroy());
}

async function delayAll(verbs: FaultVerbs, pieceCount: number): Promise<void> {
  const delayMs = Number(verbs.get('delay') ?? 0);
  if (delayMs > 0) await sleep(delayMs * pieceCount);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
