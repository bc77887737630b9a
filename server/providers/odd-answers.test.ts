import { createServer, type ServerResponse } from 'node:http';
import { generousTimeouts, readAll, targetAt, textOf, usageOf } from '../test/fake-upstream-caller.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { UpstreamClient } from './call-upstream.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';
import type { ProviderAdapter, UpstreamEvent } from './provider-adapter.js';

let answer: (response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(response));
});
const client = new UpstreamClient({ timeouts: generousTimeouts, eventBytesMax: 1_000 });
beforeAll(() => listenLocally(server));
afterAll(async () => {
  await client.close();
  await closeServer(server);
});

async function ask(adapter?: ProviderAdapter, stream = true) {
  const target = targetAt(urlOf(server));
  const request = { model: 'public-name', messages: [{ role: 'user' as const, content: 'Hi' }], stream };
  const call = { target: adapter ? { ...target, adapter } : target, request, signal: null };
  const { events, error } = await readAll(pullEvents(client, call));
  return { text: textOf(events), usage: usageOf(events), reasons: reasonsOf(events), code: error?.code ?? null };
}

const reasonsOf = (events: readonly UpstreamEvent[]) =>
  events.flatMap((event) => {
    if (event.type !== 'completion' && event.type !== 'chunk') return [];
    const { choices } = event.type === 'chunk' ? event.chunk : event.completion;
    return choices.flatMap((choice: { finish_reason: string | null }) => choice.finish_reason ?? []);
  });

/** Each piece is sent alone, so that it is read alone or at least may be. */
function send(pieces: readonly string[], { type, isCut = false }: { type?: string; isCut?: boolean } = {}) {
  return async (response: ServerResponse) => {
    response.writeHead(200, type === undefined ? {} : { 'content-type': type });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    if (isCut) response.destroy();
    else response.end();
  };
}

const toEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const piece = (content: string, finish_reason: string | null = null) =>
  toEvent({ choices: [{ index: 0, delta: { content }, finish_reason }] });
const usage = { prompt_tokens: 11, completion_tokens: 3 };
const usageEvent = toEvent({ choices: [], usage });
const whole = [piece('Hel'), piece('lo'), piece('', 'stop'), usageEvent];
const plain = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage,
};
const seenWhole = {
  text: 'Hello',
  usage: expect.objectContaining({ inputTokens: 11, outputTokens: 3 }),
  reasons: ['stop'],
  code: null,
};

const anthropic = [
  { type: 'message_start', message: { usage: { input_tokens: 11, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
].map(toEvent);
const gemini = ['Hel', 'lo'].map((text) =>
  toEvent({
    candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3 },
  }),
);

describe('A stream', () => {
  it.each([['application/json'], ['text/html'], ['text/plain'], [undefined]])(
    'is read as what it is, whatever type its head says: %s',
    async (type) => {
      for (const beginning of [[], ['\n\n'], ['\uFEFF', '\n'], [': wait\n\n'], ['event: x\n']]) {
        answer = send([...beginning, ...whole], { ...(type ? { type } : {}) });
        expect(await ask()).toEqual(seenWhole);
      }
    },
  );

  it.each([['text/event-stream'], ['application/json'], [undefined]])(
    'that was asked for and comes as one plain answer is read, whatever type its head says: %s',
    async (type) => {
      for (const beginning of [[], ['\n', ' \n']]) {
        answer = send([...beginning, JSON.stringify(plain)], { ...(type ? { type } : {}) });
        expect(await ask()).toEqual(seenWhole);
      }
    },
  );
});

describe('An event stream in the place of a plain answer', () => {
  it.each([['text/event-stream'], ['application/json'], [undefined]])(
    'is read whole, of every dialect, whatever type its head says: %s',
    async (type) => {
      for (const beginning of [[], ['\n', ' \n'], [': wait\n\n']]) {
        for (const rest of [[], ['data: [DONE]\n\n'], [': bye\n\n']]) {
          const sent = (events: readonly string[]) => send([...beginning, ...events, ...rest], type ? { type } : {});
          answer = sent(whole);
          expect(await ask(undefined, false)).toEqual(seenWhole);
          answer = sent(anthropic);
          expect(await ask(anthropicAdapter, false)).toEqual(seenWhole);
          answer = sent(gemini);
          expect(await ask(geminiAdapter, false)).toEqual(seenWhole);
        }
      }
    },
  );

  it('gives nothing, no count either, where it breaks off, reports an error, or is none', async () => {
    const nothing = { text: '', usage: null, reasons: [], code: 'provider_error' };
    const counted = piece('Hel').replace('{', `{"usage":${JSON.stringify(usage)},`);
    for (const rest of [[], [toEvent({ error: { message: 'no' } })], ['data: bye\n\n']]) {
      answer = send([counted, ...rest]);
      expect(await ask(undefined, false)).toEqual(nothing);
      answer = send([counted, ...rest], { isCut: true });
      expect(await ask(undefined, false)).toEqual(nothing);
    }
    for (const body of ['', '\n', 'upstream failed', 'data: \n\n', 'null']) {
      answer = send([body]);
      expect(await ask(undefined, false)).toEqual(nothing);
    }
  });
});

describe('What trails behind a whole answer', () => {
  it.each([
    ['data: DONE\n\n'],
    ['data:  [DONE]\n\n'],
    ['data: [DONE] \n\n'],
    ['data:\ndata: [DONE]\n\n'],
    ['data: [DONE]\n\ndata:\n\n'],
    ['data: [DONE]\n\n: bye\n\n'],
    ['data: [DONE]\n: bye\n\n'],
    ['data: \n\n'],
    ['data:  \n\ndata: [DONE]\n\n'],
    ['data: bye\n\n'],
    ['data: {"choices"\n\n'],
    ['data: {"error":{"message":"late"}}\n\n'],
    ['bye'],
  ])('takes nothing from it: %j', async (rest) => {
    answer = send([...whole, rest], { type: 'text/event-stream' });
    expect(await ask()).toEqual(seenWhole);
    answer = send([[...whole, rest].join('')], { type: 'text/event-stream' });
    expect(await ask()).toEqual(seenWhole);
  });

  it.each([['data: DONE\n\n'], ['data:  [DONE]\n\n'], ['data: [DONE]\n\ndata:  \n\n'], [': bye\n\n'], ['bye']])(
    'takes nothing from one of Anthropic or Google: %j',
    async (rest) => {
      answer = send([...anthropic, rest]);
      expect(await ask(anthropicAdapter)).toEqual(seenWhole);
      answer = send([...gemini, rest]);
      expect(await ask(geminiAdapter)).toEqual(seenWhole);
    },
  );

  it('takes nothing from it where it is larger than any event may be, and is not read on', async () => {
    answer = (response) => void response.writeHead(200).write(`${whole.join('')}data: ${'x'.repeat(5_000)}`);
    expect(await ask()).toEqual(seenWhole);
  });

  it('is not waited for once it cannot be read', async () => {
    answer = (response) => void response.writeHead(200).write(`${whole.join('')}data: bye\n\n`);
    expect(await ask()).toEqual(seenWhole);
  });

  it('hides no count that comes behind something unreadable in the same piece', async () => {
    answer = send([[...whole.slice(0, -1), 'data: ok\n\n', usageEvent].join('')]);
    expect(await ask()).toEqual(seenWhole);
  });
});

describe('What trails behind the object of a plain answer', () => {
  it.each([['bye'], ['\n[DONE]'], ['\n\ndata: [DONE]\n\n'], ['</html>'], ['\0'], [',']])(
    'takes nothing from it: %j',
    async (rest) => {
      for (const beginning of ['', '\uFEFF', '\n']) {
        answer = send([`${beginning}${JSON.stringify(plain)}${rest}`], { type: 'application/json' });
        expect(await ask(undefined, false)).toEqual(seenWhole);
        expect(await ask()).toEqual(seenWhole);
      }
    },
  );

  it('is no reason to take one that was cut, or of which there are two', async () => {
    const whole = JSON.stringify(plain);
    for (const body of [whole.slice(0, -1), whole.slice(0, whole.indexOf(',')), `${whole}${whole}`, `${whole},{}`]) {
      answer = send([body], { type: 'application/json' });
      expect(await ask(undefined, false)).toMatchObject({ text: '', usage: null, code: 'provider_error' });
    }
  });
});

describe('Events with one line end between them', () => {
  it('are read one by one, with the count and the end mark among them', async () => {
    const lines = whole.map((event) => event.trimEnd());
    for (const rest of ['', '\ndata: [DONE]']) {
      answer = send([`${lines.join('\n')}${rest}\n\n`]);
      expect(await ask()).toEqual(seenWhole);
      answer = send([`${lines.slice(0, 3).join('\n\n')}\n\n${lines[3]}${rest}\n\n`]);
      expect(await ask()).toEqual(seenWhole);
    }
    answer = send([`${anthropic.map((event) => event.trimEnd()).join('\n')}\n\n`]);
    expect(await ask(anthropicAdapter)).toEqual(seenWhole);
    answer = send([`${gemini.map((event) => event.trimEnd()).join('\n')}\n\n`]);
    expect(await ask(geminiAdapter)).toEqual(seenWhole);
  });

  it('are one where they are one JSON over several lines, and none where one of them cannot be read', async () => {
    const spread = (event: string) =>
      `${JSON.stringify(JSON.parse(event.slice(6)), null, 1).replace(/^/gm, 'data: ')}\n\n`;
    answer = send(whole.map(spread));
    expect(await ask()).toEqual(seenWhole);
    answer = send([`${whole[0]}data: ${JSON.stringify({ choices: [] })}\ndata: bye\n\n`]);
    expect(await ask()).toMatchObject({ text: 'Hel', code: 'provider_error' });
    answer = send([`${whole[0]}data: {"choices":[]}{"choices":[]}\n\n`]);
    expect(await ask()).toMatchObject({ text: 'Hel', code: 'provider_error' });
  });
});

describe('A finish_reason on every event', () => {
  const pieces = ['Hel', 'l', 'o'].map((content) => piece(content, 'stop'));

  it('is no end of a stream that breaks off, or reports an error, behind more words', async () => {
    answer = send(pieces.slice(0, 2), { isCut: true });
    expect(await ask()).toMatchObject({ text: 'Hell', code: 'provider_error' });
    answer = send([...pieces.slice(0, 2), toEvent({ error: { message: 'no', code: 503 } })]);
    expect(await ask()).toMatchObject({ text: 'Hell', code: 'provider_overloaded' });
  });

  it('leaves an answer whole that ends as it should, with or without [DONE]', async () => {
    for (const rest of [[], ['data: [DONE]\n\n']]) {
      answer = send([...pieces, usageEvent, ...rest]);
      expect(await ask()).toEqual(seenWhole);
    }
  });
});

describe('An error that says nothing', () => {
  it.each([[null], [''], [false], [{}], [{ message: '', code: null }], [[]]])(
    'beside an answer is none: %j',
    async (error) => {
      answer = send([JSON.stringify({ ...plain, error })]);
      expect(await ask(undefined, false)).toMatchObject({ text: 'Hello', code: null });
      const events = whole.map((event) => toEvent({ ...JSON.parse(event.slice(6)), error }));
      answer = send(events);
      expect(await ask()).toEqual(seenWhole);
      answer = send(anthropic.map((event) => toEvent({ ...JSON.parse(event.slice(6)), error })));
      expect(await ask(anthropicAdapter)).toEqual(seenWhole);
      answer = send(gemini.map((event) => toEvent({ ...JSON.parse(event.slice(6)), error })));
      expect(await ask(geminiAdapter)).toEqual(seenWhole);
    },
  );

  it('in the place of an answer is a failure', async () => {
    answer = send(['{"error":""}']);
    expect(await ask(undefined, false)).toMatchObject({ text: '', code: 'provider_error' });
  });
});

describe('An informational response', () => {
  it.each([102, 103])('before the answer changes nothing: %d', async (status) => {
    answer = (response) => {
      response.socket?.write(`HTTP/1.1 ${status} Wait\r\nlink: </x>\r\n\r\n`);
      void send(whole)(response);
    };
    expect(await ask()).toEqual(seenWhole);
  });
});
