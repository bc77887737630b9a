import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from './eventually.js';
import { listenLocally, portOf } from './local-server.js';
import { findBaseUrl, type RunningProgram, runProgramFile } from './running-program.js';
import { makeTestFolder } from './test-folder.js';

// The system as a process sees it: two threads for look-ups. Names of `silent…` hold one for ever, others are at this machine.
const system = `import dns from 'node:dns';
  import { isIP } from 'node:net';
  const { lookup } = dns;
  const waiting = [];
  let running = 0;
  const begin = () => {
    while (running < 2 && waiting.length > 0) {
      const { name, options, told } = waiting.shift();
      running += 1;
      if (name.startsWith('silent')) continue;
      setImmediate(() => {
        running -= 1;
        if (options.all) told(null, [{ address: '127.0.0.1', family: 4 }]);
        else told(null, '127.0.0.1', 4);
        begin();
      });
    }
  };
  dns.lookup = (name, ...rest) => {
    if (isIP(name) !== 0) return lookup(name, ...rest);
    const told = rest.pop();
    waiting.push({ name, options: rest[0] ?? {}, told });
    begin();
  };`;

const answer = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};

/** Answers every call, on a connection of its own, so that each call looks the name up. */
async function openProvider(): Promise<Server> {
  const provider = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(answer));
    });
  });
  await listenLocally(provider);
  return provider;
}

function describeProviders(port: number): string {
  const provider = (id: string) => `  ${id}: { adapter: vllm, name: ${id}, baseUrl: "http://${id}.test:${port}/v1" }`;
  const model = (id: string, routes: string) =>
    `  ${id}: { tier: lower, contextTokens: 65536, maxOutputTokens: 8192, routes: [${routes}] }`;
  return [
    'providers:',
    ...['silent-1', 'silent-2', 'known', 'fresh'].map(provider),
    'models:',
    ...['silent-1', 'silent-2', 'known'].map((id) => model(id, `${id}/m`)),
    model('silent-then-known', 'silent-1/m, known/m'),
    model('fresh-then-known', 'fresh/m, known/m'),
  ].join('\n');
}

describe('a server with two providers whose name servers say nothing', () => {
  const folder = makeTestFolder('silent-names');
  let provider: Server;
  let server: RunningProgram;
  let baseUrl: string;
  let secret: string;

  beforeAll(async () => {
    provider = await openProvider();
    writeFileSync(join(folder, 'system.mjs'), system);
    writeFileSync(join(folder, 'tollgate.yaml'), describeProviders(portOf(provider)));
    const settings = {
      NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'system.mjs')).href}`,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'x.db')}`,
      SPOOL_DIR: join(folder, 'spool'),
      TOLLGATE_CONFIG: join(folder, 'tollgate.yaml'),
      ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true',
      UPSTREAM_CONNECT_TIMEOUT_MS: '4000',
      REQUESTS_PER_MINUTE: '1000',
      SIGNUP_CREDITS: '1000',
    };
    server = runProgramFile(join(import.meta.dirname, '../main.js'), [], settings, folder);
    baseUrl = await findBaseUrl(server);
    secret = await createKey();
  }, 60_000);
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
    provider.close();
  });

  async function ask(query: string, variables: object, cookie: string) {
    const headers = { 'content-type': 'application/json', origin: baseUrl, cookie };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body });
    const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0]);
    return {
      data: (await response.json()) as { data: Record<string, { secret: string }> },
      cookie: cookies.join('; '),
    };
  }

  async function createKey(): Promise<string> {
    const person = { input: { email: 'names@example.com', password: 'correct horse battery 9' } };
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }';
    const { cookie } = await ask(signUp, person, '');
    const create = 'mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { secret } }';
    const { data } = await ask(create, { input: { name: 'names' } }, cookie);
    return data.data.createApiKey?.secret ?? '';
  }

  async function call(model: string): Promise<number> {
    const messages = [{ role: 'user', content: 'Hello' }];
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model, messages, max_tokens: 5 }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  const failuresOfFresh = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"event":"call_attempt_failed"'))
      .map((line) => JSON.parse(line) as { provider: string; errorCode: string })
      .filter(({ provider }) => provider === 'fresh');

  it('finds the others, fails over to them, and blames no provider whose name could not be asked for', async () => {
    expect(await call('known')).toBe(200);
    const silent = ['silent-1', 'silent-2', 'silent-1', 'silent-2'].map(call);
    expect(await Promise.all(silent)).toEqual([504, 504, 504, 504]);
    // Both threads are held from here on.
    expect(await call('known')).toBe(200);
    expect(await call('fresh-then-known')).toBe(200);
    await eventually(() => failuresOfFresh().length > 0);
    expect(failuresOfFresh()).toMatchObject([{ errorCode: 'service_unavailable' }]);
    expect(await call('silent-then-known')).toBe(200);
    expect(server.output()).not.toMatch(/"event":"provider_left_alone"[^\n]*"provider":"(?:known|fresh)"/);
  }, 60_000);
});
