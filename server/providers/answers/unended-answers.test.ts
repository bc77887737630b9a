import { createServer, type ServerResponse } from 'node:http';
import { generousTimeouts, readAll, targetAt, textOf, usageOf } from '../../test/fake-upstream-caller.js';
import { closeServer, listenLocally, urlOf } from '../../test/local-server.js';
import { pullEvents } from '../../test/pull-events.js';
import { anthropicAdapter } from '../anthropic/anthropic-adapter.js';
import { UpstreamClient } from '../call-upstream.js';
import type { EmbeddingOrder } from '../embeddings/embedding-types.js';
import { geminiAdapter } from '../gemini/gemini-adapter.js';
import type { HttpTarget } from '../provider-adapter.js';

let sent = '';
let end: (response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    // Without a length: only the end of the connection would end it.
    response.writeHead(200, { 'content-type': sent.startsWith('data:') ? 'text/event-stream' : 'application/json' });
    response.write(sent, () => end(response));
  });
});
const client = new UpstreamClient({ timeouts: { ...generousTimeouts, idleMs: 200 } });
const patient = new UpstreamClient({ timeouts: { ...generousTimeouts, idleMs: 120_000, totalMs: 120_000 } });
const brief = new UpstreamClient({ timeouts: { ...generousTimeouts, totalMs: 200 } });
beforeAll(() => listenLocally(server));
afterAll(async () => {
  await Promise.all([client, patient, brief].map((each) => each.close()));
  await closeServer(server);
});

const ask = async (
  changes: Partial<HttpTarget> = {},
  { fields = {}, by = client }: { fields?: object; by?: UpstreamClient } = {},
) => {
  const target = { ...targetAt(urlOf(server)), ...changes };
  const request = { model: 'public-name', messages: [{ role: 'user' as const, content: 'Hi' }], ...fields };
  return readAll(pullEvents(by, { target, request, signal: null }));
};
const seenOf = ({ events, error }: Awaited<ReturnType<typeof ask>>) => ({
  text: textOf(events),
  outputTokens: usageOf(events)?.outputTokens,
  code: error?.code ?? null,
});

const stay = () => {};
const reset = (response: ServerResponse) => void response.socket?.resetAndDestroy();
const whole = { text: 'Hello', outputTokens: 3, code: null };

const ofOpenAi = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 3 },
});
const ofAnthropic = JSON.stringify({
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 11, output_tokens: 3 },
});
const ofGemini = JSON.stringify({
  candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3 },
});
const ofVectors = JSON.stringify({ data: [{ index: 0, embedding: [0.5, 1] }], usage: { prompt_tokens: 4 } });
const embedding: EmbeddingOrder = { inputs: { kind: 'texts', texts: ['Hi'] }, dimensions: null, encoding: 'float' };

describe('A plain answer that is whole, and whose connection then', () => {
  it.each([
    ['is never closed', stay],
    ['is reset', reset],
  ])('%s, is the answer and is counted', async (_, ends) => {
    end = ends;
    for (const text of [ofOpenAi, ` \n${ofOpenAi}\n\n`]) {
      sent = text;
      expect(seenOf(await ask())).toEqual(whole);
      expect(seenOf(await ask({}, { fields: { stream: true } }))).toEqual(whole);
    }
    sent = ofAnthropic;
    expect(seenOf(await ask({ adapter: anthropicAdapter }))).toEqual(whole);
    sent = ofGemini;
    expect(seenOf(await ask({ adapter: geminiAdapter }))).toEqual(whole);
  });

  it('is never closed until the time of the call is over, is the answer as well', async () => {
    end = stay;
    sent = ofOpenAi;
    expect(seenOf(await ask({}, { by: brief }))).toEqual(whole);
  });

  it.each([
    ['is never closed', stay],
    ['is reset', reset],
  ])('%s, is the answer also where it is of vectors', async (_, ends) => {
    end = ends;
    sent = ofVectors;
    const { events, error } = await ask({}, { fields: { embedding } });
    expect(error).toBeNull();
    expect(events.map(({ type }) => type)).toEqual(['usage', 'embeddings']);
  });
});

describe('A plain answer that is whole, on a connection that stays open', () => {
  it('is given soon, however long its provider may be silent, plain, streamed and of vectors', async () => {
    end = stay;
    sent = ofOpenAi;
    const answers = await Promise.all([ask({}, { by: patient }), ask({}, { by: patient, fields: { stream: true } })]);
    expect(answers.map(seenOf)).toEqual([whole, whole]);
    sent = ofVectors;
    const { error } = await ask({}, { fields: { embedding }, by: patient });
    expect(error).toBeNull();
  });
});

describe('A plain answer that is not whole', () => {
  it.each([
    [ofOpenAi.slice(0, -1)],
    [ofOpenAi.slice(0, 40)],
    ['{"choices":["}'],
    ['"{}"'],
    ['<html>{}</html>'],
    ['[]'],
    [' \n '],
  ])('is none, however its connection ends: %s', async (text) => {
    sent = text;
    end = stay;
    expect(seenOf(await ask())).toEqual({ text: '', outputTokens: undefined, code: 'provider_timeout' });
    end = reset;
    expect(seenOf(await ask())).toEqual({ text: '', outputTokens: undefined, code: 'provider_error' });
  });
});

describe('A stream without an end mark, on a connection that stays open', () => {
  const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = { usage: { prompt_tokens: 11, completion_tokens: 3 } };
  const told = event(choice({ content: 'Hel' })) + event(choice({ content: 'lo' }));
  const counted = told + event(choice({}, 'stop')) + event({ choices: [], ...usage });

  it.each([
    ['with usage behind its end', counted],
    ['with usage in the event of its end', told + event({ ...choice({}, 'stop'), ...usage })],
    ['that is kept open by comments', `${counted}: still here\n\n`],
  ])('is given soon where it is counted, however long its provider may be silent: %s', async (_, text) => {
    [end, sent] = [stay, text];
    expect(seenOf(await ask({}, { by: patient, fields: { stream: true } }))).toEqual(whole);
  });

  it('is given soon also where it is Google’s', async () => {
    end = stay;
    const part = (text: string, more: object = {}) =>
      event({ candidates: [{ content: { parts: [{ text }] }, ...more }], usageMetadata: { promptTokenCount: 11 } });
    const last = event({
      candidates: [{ content: { parts: [{ text: 'lo' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3 },
    });
    sent = part('Hel') + last;
    const answer = await ask({ adapter: geminiAdapter }, { by: patient, fields: { stream: true } });
    expect(seenOf(answer)).toEqual(whole);
  });
});

describe('A stream with its end mark before its usage', () => {
  const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
  const words = event({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] });
  const done = 'data: [DONE]\n\n';
  const usage = event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 3 } });

  it.each([
    ['ends', (response: ServerResponse) => void response.end()],
    ['is never closed', stay],
    ['is reset', reset],
  ])('is counted, plain and streamed, where its connection then %s', async (_, ends) => {
    [end, sent] = [ends, `${words}${done}\n: bye\n\n${usage}`];
    for (const stream of [true, false])
      expect(seenOf(await ask({}, { by: patient, fields: { stream } }))).toEqual(whole);
  });

  it.each([
    ['nothing', ''],
    ['further words', event({ choices: [{ index: 0, delta: { content: ' and more' } }] })],
    ['an error', event({ error: { message: 'late' } })],
    ['no JSON', 'data: oh\n\n'],
    ['a count that makes no sense', event({ usage: { prompt_tokens: -1, completion_tokens: 3 } })],
    ['another event before a count', `${event({ choices: [] })}${usage}`],
  ])('is the same answer, uncounted, and soon, where %s comes behind the mark', async (_, late) => {
    [end, sent] = [stay, `${words}${done}${late}`];
    const { outputTokens, ...seen } = seenOf(await ask({}, { by: patient, fields: { stream: true } }));
    expect([seen, outputTokens]).toEqual([{ text: 'Hello', code: null }, undefined]);
  });

  it('waits for nothing behind the mark where its usage came before', async () => {
    [end, sent] = [stay, `${words}${usage}${done}${event({ usage: { prompt_tokens: 11, completion_tokens: 9 } })}`];
    expect(seenOf(await ask({}, { by: patient, fields: { stream: true } }))).toEqual(whole);
  });
});
