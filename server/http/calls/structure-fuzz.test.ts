import { Agent, createServer, type Server, request as send } from 'node:http';
import { closeServer, listenLocally, urlOf } from '../../test/local-server.js';
import { postGraphql } from '../../test/post-graphql.js';
import { doubleSecretKey, doubleWebhookSecret, signDelivery } from '../../test/stripe-double.js';
import { StructureBodies } from '../../test/structure-bodies.js';
import type { BodyForm } from '../../test/structure-places.js';
import { WatchedServer } from '../../test/watched-server.js';

/*
 * Bodies of every structure at every door that takes JSON. STRUCTURE_FUZZ_BODIES=10000 sends as many to each door,
 * STRUCTURE_FUZZ_SEED repeats a run, and with STRUCTURE_FUZZ_BODY=<number> it sends that one alone.
 */
const seed = Number(process.env.STRUCTURE_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const bodyCount = Number(process.env.STRUCTURE_FUZZ_BODIES ?? 40);
const onlyBody = process.env.STRUCTURE_FUZZ_BODY;
const bodiesAtOnce = 4;
/** Between two looks at the server. */
const bodiesPerLook = 16;

// Without bounds it stands still for most of a minute, and takes all memory. A busy machine is no reason to fail.
const holdMsMax = 3_000;
const rssBytesMax = 1_500 * 1024 * 1024;

interface Door {
  readonly name: string;
  readonly path: string;
  readonly form: BodyForm;
  readonly sign: 'key' | 'session' | 'cookie' | 'stripe';
}

const doors: readonly Door[] = [
  { name: 'chat', path: '/api/proxy.php/chat/completions', form: 'chat', sign: 'key' },
  { name: 'chat in the form of Responses', path: '/v1/chat/completions', form: 'responses', sign: 'key' },
  { name: 'Responses', path: '/v1/responses', form: 'responses', sign: 'key' },
  { name: 'Messages', path: '/v1/messages', form: 'messages', sign: 'key' },
  { name: 'the tokens of Messages', path: '/v1/messages/count_tokens', form: 'messages', sign: 'key' },
  { name: 'embeddings', path: '/v1/embeddings', form: 'embeddings', sign: 'key' },
  { name: 'completions', path: '/v1/completions', form: 'completions', sign: 'key' },
  { name: 'estimate', path: '/api/proxy.php/estimate', form: 'chat', sign: 'key' },
  { name: 'playground', path: '/playground/chat/completions', form: 'chat', sign: 'cookie' },
  { name: 'GraphQL', path: '/graphql', form: 'graphql', sign: 'session' },
  { name: 'the stream of GraphQL', path: '/graphql/stream', form: 'graphql', sign: 'session' },
  { name: 'Stripe’s webhook', path: '/webhooks/stripe', form: 'event', sign: 'stripe' },
];

const providerAnswers: readonly (readonly [RegExp, unknown])[] = [
  // Of one input, however many were sent.
  [/\/embeddings$/, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 3 } }],
  [/:batchEmbedContents/, { embeddings: [{ values: [1] }] }],
  [
    /\/messages$/,
    {
      ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' },
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  ],
  [
    /:(generate|streamGenerate)Content/,
    {
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
    },
  ],
  [
    /./,
    {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    },
  ],
];

/** Every provider, and Stripe, at one address: it reads whatever comes and answers the shortest answer. */
async function startProviders(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const [, answer] = providerAnswers.find(([path]) => path.test(request.url ?? '')) ?? [];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  // This process is busy making bodies: a connection that it closed late would look like a fault of the server.
  server.keepAliveTimeout = 600_000;
  await listenLocally(server);
  return server;
}

describe(`Bodies of any structure, seed ${seed}`, () => {
  const agent = new Agent({ keepAlive: true });
  let providers: Server;
  let server: WatchedServer;
  let headers: Readonly<Record<Door['sign'], (body: Buffer) => Record<string, string>>>;

  beforeAll(async () => {
    providers = await startProviders();
    const address = urlOf(providers);
    const names = ['OPENAI', 'ANTHROPIC', 'GEMINI'];
    server = await WatchedServer.start({
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`${name}_API_KEY`, 'sk-x'],
          [`${name}_BASE_URL`, address],
        ]),
      ),
      ...{ STRIPE_SECRET_KEY: doubleSecretKey, STRIPE_WEBHOOK_SECRET: doubleWebhookSecret, STRIPE_API_BASE: address },
      SIGNUP_CREDITS: '1000000',
      BREAKER_FAILURES: '0',
    });
    const { sessionToken, secret } = await signUp();
    headers = {
      key: () => ({ authorization: `Bearer ${secret}` }),
      session: () => ({ authorization: `Bearer ${sessionToken}` }),
      cookie: () => ({ cookie: `sid=${sessionToken}` }),
      stripe: (body) => ({ 'stripe-signature': signDelivery(body.toString()) }),
    };
  }, 60_000);
  afterAll(async () => {
    agent.destroy();
    await server.stop();
    await closeServer(providers);
  }, 60_000);

  async function signUp(): Promise<{ sessionToken: string; secret: string }> {
    const ask = async <Data>(query: string, token = '') => {
      const response = await postGraphql(server.baseUrl, { query }, token ? { authorization: `Bearer ${token}` } : {});
      return ((await response.json()) as { data: Data }).data;
    };
    const input = '{ email: "person@example.com", password: "a long enough password", name: "A Person" }';
    const { signUp: made } = await ask<{ signUp: { sessionToken: string } }>(
      `mutation { signUp(input: ${input}) { sessionToken } }`,
    );
    const { createApiKey } = await ask<{ createApiKey: { secret: string } }>(
      'mutation { createApiKey(input: { name: "test" }) { secret } }',
      made.sessionToken,
    );
    return { sessionToken: made.sessionToken, secret: createApiKey.secret };
  }

  function post(path: string, body: Buffer, more: Record<string, string>): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = send(
        `${server.baseUrl}${path}`,
        {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', 'content-length': body.length, ...more },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
            // A stream of live balances never ends by itself.
            if (response.headers['content-type']?.includes('event-stream')) response.destroy();
          });
          response.on('close', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Sends the bodies of these numbers, and gives the statuses of their answers. */
  async function sendAll(door: Door, numbers: readonly number[]): Promise<number[]> {
    const bodies = new StructureBodies(door.form, seed);
    const sendOne = async (number: number): Promise<number> => {
      const { bytes, title } = bodies.make(number);
      const { status, text } = await post(door.path, bytes, headers[door.sign](bytes));
      const what = `${door.name}, body ${number} of ${bytes.length} bytes (${title}): ${status} ${text.slice(0, 300)}`;
      if (!isAnswer(status, text, door.form)) throw new Error(what);
      return status;
    };
    const lanes = Array.from({ length: bodiesAtOnce }, async (_, lane) => {
      const statuses: number[] = [];
      for (const number of numbers.filter((each) => each % bodiesAtOnce === lane)) statuses.push(await sendOne(number));
      return statuses;
    });
    return (await Promise.all(lanes)).flat();
  }

  it.each(doors)(
    '$name reads or refuses each, and goes on',
    async (door) => {
      const counts = new Map<number, number>();
      let longest = { holdMs: 0, workMs: 0, numbers: '' };
      let rssMax = 0;
      const first = onlyBody === undefined ? 0 : Number(onlyBody);
      const end = onlyBody === undefined ? bodyCount : first + 1;
      for (let from = first; from < end; from += bodiesPerLook) {
        const numbers = Array.from({ length: Math.min(bodiesPerLook, end - from) }, (_, index) => from + index);
        await server.watch();
        for (const status of await sendAll(door, numbers)) counts.set(status, (counts.get(status) ?? 0) + 1);
        const report = await server.report();
        rssMax = Math.max(rssMax, report.rssMax);
        if (report.workMs > longest.workMs) longest = { ...report, numbers: `${numbers[0]} to ${numbers.at(-1)}` };
      }
      const told = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
      process.stdout.write(
        `${door.name}: ${told.join(', ')}; the loop worked ${longest.workMs.toFixed(0)} ms at a stretch (stood still for ${longest.holdMs.toFixed(0)} ms, bodies ${longest.numbers}), at most ${(rssMax / 1024 / 1024).toFixed(0)} MB\n`,
      );
      expect(longest.holdMs).toBeLessThan(holdMsMax);
      expect(rssMax).toBeLessThan(rssBytesMax);
    },
    7_200_000,
  );
});

function isAnswer(status: number, text: string, form: BodyForm): boolean {
  const isModest = form === 'graphql' || form === 'event';
  if (status === 200) return true;
  const othersAllowed = form === 'embeddings' ? [502] : [];
  if (![400, 402, 404, 413, ...othersAllowed, ...(isModest ? [401, 403, 429, 503] : [])].includes(status)) return false;
  // GraphQL tells up to fifty faults of one input.
  if (text.length > (isModest ? 20_000 : 4_000)) return false;
  if (isModest) return /^\{"error/.test(text);
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  const kind = form === 'messages' ? error.type : error.code;
  return typeof error.message === 'string' && error.message.length < 1_000 && typeof kind === 'string';
}
