import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { FakeUpstreamCaller, readAll, targetAt, textOf } from '../test/fake-upstream-caller.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';

/* A request of many megabytes goes out in pieces. What a provider is sent, and what ends a call, is the same as of a short one. */
const question = 'Why, 日本? "\\\n'.repeat(800_000);
const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

describe('A request of many megabytes', () => {
  let caller: FakeUpstreamCaller;
  let provider: Server;
  let listener: RequestListener;
  const seen: { head: IncomingMessage['headers']; body: string }[] = [];

  beforeAll(async () => {
    caller = await FakeUpstreamCaller.start();
    provider = createServer((request, response) => listener(request, response));
    await listenLocally(provider);
  });
  afterEach(() => caller.closeClients());
  afterAll(async () => {
    await caller.close();
    await closeServer(provider);
  });

  const readWhole: RequestListener = async (request, response) => {
    const body = String(Buffer.concat(await request.toArray()));
    seen.push({ head: request.headers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  };
  const callOf = (signal = new AbortController().signal) =>
    caller.callOf(question, {
      target: targetAt(urlOf(provider)),
      signal,
    });

  it('arrives whole, with its length announced', async () => {
    listener = readWhole;
    const { events, error } = await readAll(pullEvents(caller.createClient(), callOf()));
    expect(error).toBeNull();
    expect(textOf(events)).toBe('Hi');
    const [{ head, body } = { head: {}, body: '' }] = seen;
    expect(head['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(head['transfer-encoding']).toBeUndefined();
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    expect(messages[0]?.content === question).toBe(true);
  });

  it('ends with the caller who leaves while it is sent, and nothing else does', async () => {
    const abort = new AbortController();
    const client = caller.createClient();
    listener = (request) => void request.once('data', () => abort.abort(new Error('left')));
    const { error } = await readAll(pullEvents(client, callOf(abort.signal)));
    expect(error?.message).toBe('left');
    listener = readWhole;
    expect((await readAll(pullEvents(client, callOf()))).error).toBeNull();
  });

  it('ends when the provider hangs up while it is sent', async () => {
    listener = (request) => void request.once('data', () => request.socket.destroy());
    const { error } = await readAll(pullEvents(caller.createClient(), callOf()));
    expect(error).toMatchObject({ code: 'provider_error' });
  });

  it('is answered by a provider that refuses it before it has read it', async () => {
    const client = caller.createClient({ connectionsPerOriginMax: 1 });
    listener = (request, response) => {
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end('{"error":{}}');
      request.resume();
    };
    const { error } = await readAll(pullEvents(client, callOf()));
    expect(error).toMatchObject({ retryAfterMs: 7_000 });
    listener = readWhole;
    expect((await readAll(pullEvents(client, callOf()))).error).toBeNull();
  });
});
