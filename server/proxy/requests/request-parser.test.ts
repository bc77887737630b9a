import { once } from 'node:events';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BroadcastChannel } from 'node:worker_threads';
import { silentLogger } from '../../kernel/logger.js';
import { tickAwake } from '../../test/tick-awake.js';
import { parseRequest } from './parse-request.js';
import type { LargeBody } from './received-body.js';
import { RequestParser } from './request-parser.js';

const encode = (text: string): LargeBody => ({ isLarge: true, blocks: [new Uint8Array(Buffer.from(text))], hash: '' });
const valid = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };

describe('The parser of requests', () => {
  const parsers: RequestParser[] = [];
  const open = (options: Partial<ConstructorParameters<typeof RequestParser>[0]> = {}) => {
    const parser = new RequestParser({ logger: silentLogger, ...options });
    parsers.push(parser);
    return parser;
  };
  afterAll(() => Promise.all(parsers.map((parser) => parser.close())));

  it('reads a large body in its thread exactly as a small one here', async () => {
    const tools = [{ type: 'custom', name: 'shell', description: 'Runs a command' }];
    const text = JSON.stringify({ ...valid, tools, stream: true, max_tokens: 5, user: 'jane', temperature: null });
    const parser = open();
    const here = await parser.parse({ isLarge: false, text });
    expect(here).toEqual(parseRequest(text));
    expect(await parser.parse(encode(text))).toEqual(here);
  });

  it('refuses in its thread with the same words as here', async () => {
    const text = JSON.stringify({ ...valid, messages: [{ role: 'robot', content: 'x' }] });
    const refuse = (work: () => unknown) => Promise.resolve().then(work);
    const here = (await refuse(() => parseRequest(text)).catch((error) => error)) as Error;
    await expect(open().parse(encode(text))).rejects.toMatchObject({
      ...{ code: 'invalid_value', param: 'messages[0].role', message: here.message },
    });
  });

  it('answers many large bodies, each its own', async () => {
    const parser = open();
    const parsed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => parser.parse(encode(JSON.stringify({ ...valid, seed: index })))),
    );
    expect(parsed.map(({ request }) => request.seed)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('fills in half characters, which no provider can read', async () => {
    const text = '{"model":"m","messages":[{"role":"user","content":"a\\ud800b\\ud83d\\ude00"}]}';
    expect((await open().parse(encode(text))).request.messages[0]?.content).toBe('a\ufffdb😀');
  });

  it.each([
    ['that dies', 'process.exit(1)'],
    ['that never answers', 'require("node:worker_threads").parentPort.on("message", () => { for (;;); })'],
  ])('refuses the body of a thread %s, and reads the next one in another', async (_, program) => {
    const parser = open({ program: pathToFileURL('/'), deadlineMs: 500 });
    const broken = new URL(
      `data:text/javascript,${encodeURIComponent(program.replace(/require\((.*?)\)/, '(await import($1))'))}`,
    );
    const stuck = open({ program: broken, deadlineMs: 2_000 });
    await expect(stuck.parse(encode('{}'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(stuck.parse(encode('{}'))).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(parser.parse(encode('{}'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('gives a body that has waited long its own time to be parsed, and refuses unread what has waited too long', async () => {
    // It says that it has begun, and answers when it is told to.
    const program = `const { BroadcastChannel, parentPort } = await import('node:worker_threads');
      const gate = new BroadcastChannel('parser gate');
      parentPort.on('message', () => {
        gate.onmessage = ({ data }) => data === 'go on' && parentPort.postMessage({ parsed: 'parsed' });
        gate.postMessage('begun');
      });`;
    const gate = new BroadcastChannel('parser gate');
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const parser = open({
        program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
        deadlineMs: 30_000,
      });
      const begun = () => once(gate, 'message');
      const ask = () => Promise.resolve(parser.parse(encode('{}')));
      const firstBegun = begun();
      const [first, second, third] = [ask(), ask(), ask()];
      const refused = expect(third).rejects.toMatchObject({ code: 'service_unavailable' });
      await firstBegun;
      await tickAwake(29_000);
      const secondBegun = begun();
      gate.postMessage('go on');
      expect(await first).toBe('parsed');
      await secondBegun;
      await tickAwake(29_000);
      await refused;
      gate.postMessage('go on');
      expect(await second).toBe('parsed');
    } finally {
      mock.timers.reset();
      gate.close();
    }
  });

  it('refuses at once while the system gives no thread, and reads again as soon as it does', async () => {
    // Of no scheme that a thread has, it is refused in the same place.
    const program = new URL('http://nowhere.test/');
    const parser = open({ program });
    const refused = await Promise.allSettled([1, 2].map(() => parser.parse(encode(JSON.stringify(valid)))));
    for (const result of refused)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
    program.href = new URL('./parse-request-worker.js', import.meta.url).href;
    expect((await parser.parse(encode(JSON.stringify(valid)))).request.model).toBe('demo-small');
  });

  it('refuses whoever waits when it is closed', async () => {
    const parser = open();
    const waiting = Array.from({ length: 3 }, () => Promise.resolve(parser.parse(encode(JSON.stringify(valid)))));
    const ended = Promise.allSettled(waiting);
    await parser.close();
    for (const result of await ended) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'service_unavailable' });
    }
    await expect(parser.parse(encode(JSON.stringify(valid)))).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
