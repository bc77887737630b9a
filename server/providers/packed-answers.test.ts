import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompressSync,
  createBrotliCompress,
  createDeflate,
  createDeflateRaw,
  createGzip,
  gzipSync,
} from 'node:zlib';
import { generousTimeouts, readAll, targetAt, textOf, usageOf } from '../test/fake-upstream-caller.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { openBody } from './answers/open-body.js';
import { UpstreamClient } from './call-upstream.js';

const packers = {
  gzip: createGzip,
  'x-gzip': createGzip,
  deflate: createDeflate,
  'deflate without its wrapper': createDeflateRaw,
  br: createBrotliCompress,
  ' GZIP , identity': createGzip,
};
type Coding = keyof typeof packers;
const codings = Object.keys(packers) as Coding[];
const nameOf = (coding: Coding): string => (coding.startsWith('deflate') ? 'deflate' : coding);

let answer: (response: ServerResponse, request: IncomingMessage) => unknown = () => {};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(response, request));
});
const client = new UpstreamClient({ timeouts: generousTimeouts });
beforeAll(() => listenLocally(server));
afterAll(async () => {
  await client.close();
  await closeServer(server);
});

function ask(stream: boolean, signal: AbortSignal | null = null) {
  const request = { model: 'public-name', messages: [{ role: 'user' as const, content: 'Hi' }], stream };
  return pullEvents(client, { target: targetAt(urlOf(server)), request, signal });
}

/** Packs each piece so that all of it can be unpacked at once, as a gateway does that holds no stream back. */
function pack(response: ServerResponse, coding: Coding, status = 200) {
  const packer = packers[coding]();
  response.writeHead(status, { 'content-encoding': nameOf(coding) });
  pipeline(packer, response, () => {});
  const flush = promisify((done: () => void) => packer.flush(done));
  return {
    write: async (text: string) => {
      packer.write(text);
      await flush();
    },
    end: (text = '') => packer.end(text),
  };
}

const toEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const piece = (content: string, finish_reason: string | null = null) =>
  toEvent({ choices: [{ index: 0, delta: { content }, finish_reason }] });
const usage = { prompt_tokens: 11, completion_tokens: 3 };
const end = `${piece('', 'stop')}${toEvent({ choices: [], usage })}data: [DONE]\n\n`;
const plain = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage,
});

describe.each(codings)('An answer that its provider packed unasked: %s', (coding) => {
  it('is read whole and counted, plain and streamed', async () => {
    for (const stream of [false, true]) {
      answer = (response) => pack(response, coding).end(stream ? `${piece('Hel')}${piece('lo')}${end}` : plain);
      const { events, error } = await readAll(ask(stream));
      expect(error).toBeNull();
      expect(textOf(events)).toBe('Hello');
      expect(usageOf(events)).toMatchObject({ inputTokens: 11, outputTokens: 3 });
    }
  });

  it('is handed on piece by piece, none of which waits for the next', async () => {
    let sendNext = () => {};
    answer = async (response) => {
      const packed = pack(response, coding);
      for (const text of ['a', 'b', 'c']) {
        const taken = new Promise<void>((resolve) => {
          sendNext = resolve;
        });
        await packed.write(piece(text));
        await taken;
      }
      packed.end(end);
    };
    const texts: string[] = [];
    for await (const event of ask(true)) {
      if (event.type === 'chunk') texts.push(textOf([event]));
      sendNext();
    }
    expect(texts.join('')).toBe('abc');
  });

  it('is a refusal in the words of its provider where it is one', async () => {
    const refusal = { error: { message: 'temperature must be at most 2', param: 'temperature', code: null } };
    answer = (response) => pack(response, coding, 400).end(JSON.stringify(refusal));
    const { error } = await readAll(ask(false));
    expect(error).toMatchObject({ code: 'provider_rejected', param: 'temperature' });
    expect(error?.message).toContain('temperature must be at most 2');
  });

  it('is broken off when its caller leaves', async () => {
    const leaving = new AbortController();
    let wasClosed: Promise<void> = Promise.resolve();
    answer = async (response) => {
      wasClosed = new Promise((resolve) => response.on('close', resolve));
      await pack(response, coding).write(piece('a'));
    };
    const reason = new Error('gone');
    const { error } = await readAll(
      (async function* () {
        for await (const event of ask(true, leaving.signal)) {
          yield event;
          leaving.abort(reason);
        }
      })(),
    );
    expect(error).toBe(reason);
    await wasClosed;
  });
});

describe('A packed answer', () => {
  it.each(['zstd', 'compress', 'gzip, br', 'nonsense'])(
    'stays one that cannot be read where its coding is %s, and a refusal keeps its status',
    async (coding) => {
      answer = (response) => response.writeHead(200, { 'content-encoding': coding }).end(gzipSync(plain));
      expect((await readAll(ask(false))).error).toMatchObject({
        code: 'provider_error',
        innerReason: 'a content-encoding that was not asked for',
      });
      answer = (response) => response.writeHead(429, { 'content-encoding': coding }).end(gzipSync('{}'));
      expect((await readAll(ask(false))).error).toMatchObject({ code: 'provider_rate_limited' });
    },
  );

  it('is read as far as it came where the mark of its end is missing, and is no answer where a part is', async () => {
    const packed = gzipSync(plain);
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, -8));
    expect(textOf((await readAll(ask(false))).events)).toBe('Hello');
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 40));
    const { events, error } = await readAll(ask(false));
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: 'provider_error' });
  });

  it.each(['gzip', 'br'] as const)('is refused where little unpacks to far too much: %s', async (coding) => {
    const compress = coding === 'br' ? brotliCompressSync : gzipSync;
    const bombs = [
      `{"choices":"${' '.repeat(16 * 1024 * 1024)}"}`,
      'data: {"choices":[]}\n\n'.repeat(1024 * 1024),
      ': wait\n\n'.repeat(2 * 1024 * 1024),
    ];
    for (const bomb of bombs) {
      const packed = compress(bomb);
      answer = (response) => response.writeHead(200, { 'content-encoding': coding }).end(packed);
      const { error } = await readAll(ask(!bomb.startsWith('{')));
      expect(error).toMatchObject({
        code: 'provider_error',
        innerReason: expect.stringMatching(/unpacks to too much|an event larger than allowed/),
      });
    }
  });

  it('is unpacked no faster than it is taken', async () => {
    const packed = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));
    const pieces = [packed.subarray(0, 1_000), packed.subarray(1_000, 2_000), packed.subarray(2_000)];
    let given = 0;
    const read = (): Buffer | null => pieces[given++] ?? null;
    const body = openBody({ read }, { status: 200, headers: { 'content-encoding': 'gzip' } }, 'openai');
    const first = await body.read();
    expect(first?.length).toBeLessThanOrEqual(64 * 1024);
    expect(given).toBe(1);
    let bytes = first?.length ?? 0;
    for (let next = await body.read(); next !== null; next = await body.read()) bytes += next.length;
    expect(bytes).toBe(8 * 1024 * 1024);
    body.close?.();
  });
});
