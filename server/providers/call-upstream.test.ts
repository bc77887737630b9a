import { FakeClock } from '../kernel/clock.js';
import { canaryKey, FakeUpstreamCaller, readAll, textOf, usageOf } from '../test/fake-upstream-caller.js';
import { pullEvents } from '../test/pull-events.js';
import { createDemoTarget } from './demo/demo-provider.js';

let caller: FakeUpstreamCaller;

beforeAll(async () => {
  caller = await FakeUpstreamCaller.start();
});
afterEach(() => caller.closeClients());
afterAll(() => caller.close());

describe('UpstreamClient, plain', () => {
  it('gives usage, then the completion under our name and id', async () => {
    const clock = new FakeClock(1_700_000_000_999);
    const { events, error } = await readAll(
      pullEvents(caller.createClient({ clock }), caller.callOf('Hi', { answerId: 'call_42' })),
    );
    expect(error).toBeNull();
    expect(events.map(({ type }) => type)).toEqual(['usage', 'completion']);
    expect(usageOf(events)).toMatchObject({ inputTokens: 11, outputTokens: 3 });
    expect(events[1]).toMatchObject({ completion: { id: 'call_42', created: 1_700_000_000, model: 'public-name' } });
    expect(JSON.stringify(events)).not.toMatch(/upstream-name|upstream-secret/);
  });

  it.each(['@@identity', '@@no-coding', '@@byte-order-mark'])(
    'gives the same for headers and marks that change nothing, plain and streamed: %s',
    async (verb) => {
      for (const stream of [false, true]) {
        const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf(verb, { stream })));
        expect(error).toBeNull();
        expect(usageOf(events)).toMatchObject({ inputTokens: 11, outputTokens: 3 });
      }
    },
  );

  it('sends the request once, with our key, to the chat route', async () => {
    const before = caller.upstream.requests.length;
    await readAll(pullEvents(caller.createClient(), caller.callOf('Hi', { max_completion_tokens: 2 })));
    expect(caller.upstream.requests.length).toBe(before + 1);
    expect(caller.lastRequest).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${canaryKey}`, 'accept-encoding': 'identity', 'user-agent': 'tollgate' },
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 2 },
    });
  });

  it('uses a connection again, whatever the answer was', async () => {
    const client = caller.createClient({ connectionsPerOriginMax: 1 });
    const before = caller.upstream.connectionCount;
    for (let round = 0; round < 5; round += 1) {
      await readAll(pullEvents(client, caller.callOf('Hi')));
      await readAll(pullEvents(client, caller.callOf('Hi', { stream: true })));
      await readAll(pullEvents(client, caller.callOf('@@status=500')));
    }
    expect(caller.upstream.connectionCount - before).toBe(1);
  });

  it('keeps to its bound of connections', async () => {
    const client = caller.createClient({ connectionsPerOriginMax: 2 });
    const before = caller.upstream.connectionCount;
    const calls = Array.from({ length: 10 }, () => readAll(pullEvents(client, caller.callOf('@@delay=5'))));
    expect((await Promise.all(calls)).every(({ error }) => error === null)).toBe(true);
    expect(caller.upstream.connectionCount - before).toBeLessThanOrEqual(2);
  });

  it.each([['-1,5'], ['1.5,5'], ['"11",5'], ['1e400,5'], ['null,null'], ['11,99999999']])(
    'reports no usage for %s',
    async (counts) => {
      const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf(`@@usage=${counts}`)));
      expect(error).toBeNull();
      expect(events.map(({ type }) => type)).toEqual(['completion']);
    },
  );
});

describe('UpstreamClient, streamed', () => {
  it('gives every piece and the usage, and asks for the latter', async () => {
    const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf('Hi', { stream: true })));
    expect(error).toBeNull();
    expect(textOf(events)).toBe('Hello from upstream');
    expect(usageOf(events)).toMatchObject({ inputTokens: 11, outputTokens: 3 });
    expect(caller.lastRequest?.body?.stream_options).toEqual({ include_usage: true, include_obfuscation: false });
  });

  it.each(['@@no-done', '@@after-done', '@@usage-on-finish', '@@stream-as-json', '@@no-finish'])(
    'gives the same for %s',
    async (verb) => {
      const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf(verb, { stream: true })));
      expect(error).toBeNull();
      expect(textOf(events)).toBe('Hello from upstream');
      expect(usageOf(events)).toMatchObject({ outputTokens: 3 });
      const reasons = events.flatMap((event) =>
        event.type === 'chunk' ? event.chunk.choices.map((c) => c.finish_reason) : [],
      );
      expect(reasons.filter((reason) => reason !== null)).toEqual(['stop']);
    },
  );

  it('gives the usage of a plain answer to a request for a stream as that of the piece that follows, so that it stays exact', async () => {
    const call = caller.callOf('@@stream-as-json', { stream: true });
    const { events } = await readAll(pullEvents(caller.createClient(), call));
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      expect.objectContaining({ type: 'usage', isOfNextChunk: true }),
    ]);
  });

  it('tells the adapter which address answers, plain and streamed, since some are read in a way of their own', async () => {
    const addresses: unknown[] = [];
    for (const stream of [false, true]) {
      const call = caller.callOf('Hi', { stream });
      if (call.target.kind !== 'http') throw new Error('an answer over HTTP was asked for');
      const { adapter, baseUrl } = call.target;
      const listening: typeof adapter = {
        ...adapter,
        parseResponse: (body, context) => {
          addresses.push(context.baseUrl === baseUrl);
          return adapter.parseResponse(body, context);
        },
        parseStream: (context) => {
          addresses.push(context.baseUrl === baseUrl);
          return adapter.parseStream(context);
        },
      };
      await readAll(pullEvents(caller.createClient(), { ...call, target: { ...call.target, adapter: listening } }));
    }
    expect(addresses).toEqual([true, true]);
  });

  it('reports no usage when the provider reports none', async () => {
    const { events, error } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('@@no-usage', { stream: true })),
    );
    expect(error).toBeNull();
    expect(usageOf(events)).toBeNull();
  });

  it('says when the first byte came, once', async () => {
    for (const stream of [false, true]) {
      let count = 0;
      await readAll(
        pullEvents(caller.createClient(), caller.callOf('Hi', { stream, onFirstByte: () => (count += 1) })),
      );
      expect(count).toBe(1);
    }
  });

  it('gives a long stream whole', async () => {
    const { events } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('@@tokens=5000', { stream: true })),
    );
    expect(textOf(events)).toBe(Array.from({ length: 5_000 }, (_, index) => ` t${index}`).join(''));
  });
});

describe('UpstreamClient, embedded provider', () => {
  const target = createDemoTarget('demo-small');

  it('answers the demo in this process, plain and streamed', async () => {
    for (const stream of [false, true]) {
      let firstBytes = 0;
      const { events } = await readAll(
        pullEvents(
          caller.createClient(),
          caller.callOf('Hi', { target, stream, onFirstByte: () => (firstBytes += 1) }),
        ),
      );
      expect(textOf(events)).toContain('You said: Hi');
      expect(usageOf(events)?.outputTokens).toBeGreaterThan(5);
      expect(firstBytes).toBe(1);
    }
  });

  it('stops when the signal is aborted', async () => {
    const controller = new AbortController();
    const calling = pullEvents(
      caller.createClient(),
      caller.callOf('Hi', { target, stream: true, signal: controller.signal }),
    );
    await calling.next();
    controller.abort(new Error('gone'));
    await expect(calling.next()).rejects.toThrow('gone');
  });
});
