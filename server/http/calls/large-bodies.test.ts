import { Agent, createServer, type Server, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { postGraphql } from '../../test/post-graphql.js';
import { WatchedServer } from '../../test/watched-server.js';

/*
 * The server in a process of its own, and bodies as large as it takes. Time decides nothing here: the bounds on it are those of
 * a standstill, for on a busy machine any process waits for its turn.
 */
const mebibyte = 1024 * 1024;
const bodyBytes = 20 * mebibyte - 200;
const holdMsMax = 2_000;

const many = (item: string, around = 0) =>
  `[${`${item},`.repeat(Math.floor((bodyBytes - around) / (item.length + 1)) - 1)}${item}]`;
const inContent = (content: string) => `{"model":"gpt-4o-mini","messages":[{"role":"user","content":${content}}]}`;
const long = (unit: string) => inContent(`"${unit.repeat(Math.floor((bodyBytes - 100) / Buffer.byteLength(unit)))}"`);
/** As many characters as a prompt may have, and an image for the rest of the body. */
const longest = (unit: string, first = '') => {
  const text = `${first}${unit.repeat((10 * mebibyte - 64) / JSON.parse(`"${unit}"`).length)}`;
  const rest = Math.floor((bodyBytes - 300 - Buffer.byteLength(text)) / 4);
  const url = `data:image/png;base64,${'Ab3/'.repeat(Math.max(0, rest))}`;
  return inContent(`[{"type":"text","text":"${text}"},{"type":"image_url","image_url":{"url":"${url}"}}]`);
};
const image = inContent(
  `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'Ab3/'.repeat(bodyBytes / 4 - 50)}"}}]`,
);

describe('The largest bodies', () => {
  const agent = new Agent({ keepAlive: true });
  let provider: Server;
  let server: WatchedServer;
  const secrets: string[] = [];

  beforeAll(async () => {
    provider = createServer((request, response) => {
      let bytes = 0;
      request.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      request.on('end', () => {
        const message = { role: 'assistant', content: `I read ${bytes} bytes.` };
        const usage = { prompt_tokens: 3, completion_tokens: 5 };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    server = await WatchedServer.start({
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      SIGNUP_CREDITS: '1000000',
      SIGNUP_GIFTS_PER_NETWORK: '100',
    });
    for (let index = 0; index < 7; index += 1) secrets.push(await createKey(`person-${index}@example.com`));
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await server.stop();
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  }, 60_000);

  async function createKey(email: string): Promise<string> {
    const ask = async (query: string, token = '') => {
      const response = await postGraphql(server.baseUrl, { query }, token ? { authorization: `Bearer ${token}` } : {});
      return ((await response.json()) as { data: Record<string, Record<string, string>> }).data;
    };
    const input = `{ email: "${email}", password: "a long enough password", name: "A Person" }`;
    const { signUp } = await ask(`mutation { signUp(input: ${input}) { sessionToken } }`);
    const { createApiKey } = await ask(
      'mutation { createApiKey(input: { name: "t" }) { secret } }',
      signUp?.sessionToken,
    );
    return createApiKey?.secret ?? '';
  }

  interface Answer {
    readonly status: number;
    readonly retryAfter: string | undefined;
    readonly body: {
      readonly error?: { code: string; param: string | null; message: string };
      readonly choices?: unknown;
    };
  }

  function call(body: string | Buffer, secret = secrets[0] ?? ''): Promise<Answer> {
    const bytes = Buffer.from(body);
    const headers = {
      ...{ 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      'content-length': bytes.length,
    };
    return new Promise((resolve, reject) => {
      const request = send(`${server.baseUrl}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, retryAfter: answered['retry-after'], body: JSON.parse(text) });
        });
      });
      request.on('error', reject);
      request.end(bytes);
    });
  }

  it.each([
    ['numbers as content', inContent(many('1', 100)), null],
    ['empty messages', `{"model":"m","messages":${many('{}', 100)}}`, null],
    ['numbers as tool calls', `{"model":"m","messages":[{"role":"assistant","tool_calls":${many('1', 200)}}]}`, null],
    [
      'reasoning details',
      `{"model":"m","messages":[{"role":"assistant","reasoning_details":${many('{}', 200)}}]}`,
      null,
    ],
    ['a nest', `{"model":"m","messages":${'['.repeat(5 * mebibyte)}${']'.repeat(5 * mebibyte)}}`, null],
    [
      '100,000 members',
      `{"model":"m","logit_bias":{${Array.from({ length: 90_000 }, (_, n) => `"${n}":1`).join()}}}`,
      'logit_bias',
    ],
    ['English text of 20 MB', long('hello world '), 'messages'],
    ['30,000 messages', `{"model":"m","messages":[${Array(30_000).fill('{}').join()}]}`, 'messages'],
    ['5,000 parts', inContent(`[${Array(5_000).fill('{}').join()}]`), 'messages[0].content'],
    [
      'tool calls of the wrong type',
      '{"model":"m","messages":[{"role":"assistant","tool_calls":[1,1]}]}',
      'messages[0].tool_calls[0]',
    ],
    [
      '600 tool calls',
      `{"model":"m","messages":[{"role":"assistant","tool_calls":[${Array(600).fill('1').join()}]}]}`,
      'messages[0].tool_calls',
    ],
  ])('of %s is refused with 400, and neither holds the loop nor takes memory', async (_, body, param) => {
    const before = await server.watch();
    const { status, body: answer } = await call(body);
    const { holdMs, rssMax } = await server.report();
    expect([status, answer.error?.param]).toEqual([400, param]);
    expect(answer.error?.message.length).toBeLessThan(300);
    expect(holdMs).toBeLessThan(holdMsMax);
    expect(rssMax - before.rssMax).toBeLessThan(5 * 20 * mebibyte);
  });

  it.each([
    ['an image', image],
    ['English text', longest('hello world ')],
    ['English text with one Japanese character', longest('hello world ', '日')],
    ['Japanese text', long('日本語')],
    ['emoji', long('😀')],
    ['escapes', long('\\n')],
    ['half characters', long('\\ud800')],
  ])(
    'of %s is answered, holds the loop no longer than a moment and takes ten times its size at most',
    async (_, body) => {
      const before = await server.watch();
      const { status } = await call(body);
      const { holdMs, rssMax } = await server.report();
      expect(status).toBe(200);
      expect(holdMs).toBeLessThan(holdMsMax);
      expect(rssMax - before.rssMax).toBeLessThan(10 * 20 * mebibyte);
    },
  );

  it('five at once leave a neighbour’s small calls going', async () => {
    const small = inContent('"Hello"');
    const large = Buffer.from(image);
    let isOver = false;
    const neighbour = async () => {
      const statuses: number[] = [];
      while (!isOver) statuses.push((await call(small, secrets[6])).status);
      return statuses;
    };
    const served = neighbour();
    const answers = await Promise.all(secrets.slice(1, 6).map((secret) => call(large, secret)));
    isOver = true;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const statuses = await served;
    expect(statuses.length).toBeGreaterThan(3);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 120_000);

  it('that are only announced keep nobody’s small calls out, and are refused when there are too many', async () => {
    const { hostname, port } = new URL(server.baseUrl);
    const sockets: Socket[] = [];
    /** Announces one body more than one account has room for, by each; resolves once one of them is refused like this. */
    const announceUntil = (status: number, announcers: readonly string[]) =>
      new Promise<void>((resolve) => {
        for (const secret of announcers.flatMap((announcer) => Array.from({ length: 4 }, () => announcer))) {
          const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}`;
          const socket = connect(Number(port), hostname);
          socket.on('error', () => {});
          socket.on('data', (answer) => String(answer).startsWith(`HTTP/1.1 ${status}`) && resolve());
          socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${20 * mebibyte}\r\n\r\n{`);
          sockets.push(socket);
        }
      });
    const large = Buffer.from(image);
    await announceUntil(429, secrets.slice(0, 1));
    const ofOne = await call(large, secrets[0]);
    expect([ofOne.status, ofOne.body.error?.code]).toEqual([429, 'concurrency_limit_exceeded']);
    await announceUntil(503, secrets.slice(1, 4));
    const ofAll = await call(large, secrets[5]);
    expect([ofAll.status, ofAll.body.error?.code]).toEqual([503, 'service_unavailable']);
    for (const { retryAfter } of [ofOne, ofAll]) expect(Number(retryAfter)).toBeGreaterThan(0);
    expect((await call(inContent('"Hello"'), secrets[6])).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    let after = await call(large, secrets[5]);
    while (after.status === 503) after = await call(large, secrets[5]);
    expect(after.status).toBe(200);
  }, 120_000);
});
