import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LocalServer } from '../../test/local-server.js';
import { toEvent } from '../../test/provider-contract-case.js';
import { plainAnswer, streamedData } from '../../test/provider-contracts/anthropic-answers.js';
import { answer, stream } from '../../test/provider-contracts/gemini-answers.js';
import { allDialectsAt } from '../../test/told-upstream.js';

type Emptiness = 'empty' | 'filtered' | 'uncounted' | 'described' | 'framed';

// By their public names, each of another dialect.
const models = ['gpt-4o-mini', 'claude-opus-5', 'gemini-3.8-flash'] as const;
const emptiness: readonly Emptiness[] = ['empty', 'filtered', 'uncounted', 'described', 'framed'];
// Of an answer without words, what a provider may count: Claude's are said to have exactly 2 or 3 tokens
// (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
const countTokens = (kind: Emptiness) => (kind === 'framed' ? 3 : 0);

function toOpenAi(kind: Emptiness, isStreamed: boolean): string {
  const finish_reason = kind === 'filtered' ? 'content_filter' : 'stop';
  const completion_tokens = countTokens(kind);
  const counts = { prompt_tokens: 25, completion_tokens, total_tokens: 25 + completion_tokens };
  const usage = kind === 'uncounted' || kind === 'described' ? {} : { usage: counts };
  const description = { system_fingerprint: { name: 'fp_1' }, service_tier: { name: 'default' } };
  const [head, message] = [
    { id: 'c', created: 1, model: 'm', ...(kind === 'described' ? description : {}) },
    { role: 'assistant', content: '' },
  ];
  if (!isStreamed) {
    const choices = [{ index: 0, message, finish_reason }];
    return JSON.stringify({ ...head, object: 'chat.completion', choices, ...usage });
  }
  const toChunk = (delta: object, reason: string | null) =>
    toEvent({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
  const end = toEvent({ ...head, object: 'chat.completion.chunk', choices: [], ...usage });
  return `${toChunk(message, null)}${toChunk({}, finish_reason)}${end}data: [DONE]\n\n`;
}

function toAnthropic(kind: Emptiness, isStreamed: boolean): string {
  const refusal = { type: 'refusal', category: null, explanation: 'We cannot help with that.' } as const;
  const stop =
    kind === 'filtered'
      ? ({ stopReason: 'refusal', stopDetails: refusal } as const)
      : ({ stopReason: 'end_turn' } as const);
  const end = { ...stop, inputTokens: 25, outputTokens: countTokens(kind) };
  if (!isStreamed) {
    const whole = plainAnswer([], end);
    return JSON.stringify(kind === 'uncounted' ? { ...whole, usage: undefined } : whole);
  }
  // The start has a first guess of one token in any case.
  return streamedData([], end)
    .map((data) => (kind === 'uncounted' && data.type === 'message_delta' ? { ...data, usage: undefined } : data))
    .map((data) => toEvent(data, String(data.type)))
    .join('');
}

function toGemini(kind: Emptiness, isStreamed: boolean): string {
  const tokens = countTokens(kind);
  const output = tokens === 0 ? {} : { candidatesTokenCount: tokens };
  const usage = kind === 'uncounted' ? {} : { promptTokenCount: 25, ...output, totalTokenCount: 25 + tokens };
  const end = { finishReason: kind === 'filtered' ? 'SAFETY' : 'STOP', usage } as const;
  return isStreamed ? stream([[{ text: '' }]], end).join('') : JSON.stringify(answer([], end));
}

/** All three providers behind one address; the last words of the question say how its answer is empty. */
class EmptyUpstream extends LocalServer {
  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const kind = emptiness.find((word) => body.includes(`@@${word}`)) ?? 'empty';
    const path = request.url ?? '';
    const isStreamed = path.includes(':streamGenerateContent') || /"stream":\s*true/.test(body);
    const write = path.includes('/messages') ? toAnthropic : path.includes('enerateContent') ? toGemini : toOpenAi;
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    response.end(write(kind, isStreamed));
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

const questions: Readonly<Record<string, (model: string, content: string) => object>> = {
  '/chat/completions': (model, content) => ({ model, max_tokens: 300, messages: [{ role: 'user', content }] }),
  '/responses': (model, input) => ({ model, max_output_tokens: 300, input }),
  '/messages': (model, content) => ({ model, max_tokens: 300, messages: [{ role: 'user', content }] }),
};

describeOnEachDatabase('A call whose whole answer has no output', (openTestDatabase) => {
  const upstream = EmptyUpstream.forAll();
  const app = TestApp.forAll(openTestDatabase, () => allDialectsAt(upstream.baseUrl));
  const account = app.accountForAll(5);

  const wires = Object.keys(questions);
  it.each(
    models.flatMap((model) =>
      wires.flatMap((wire) => [false, true].map((isStreamed) => [model, wire, isStreamed] as const)),
    ),
  )(
    'is free, and its credits are given back, however it is empty: %s over %s, streamed: %s',
    async (model, wire, isStreamed) => {
      for (const kind of emptiness) {
        const body = { ...questions[wire]?.(model, `Hello @@${kind}`), ...(isStreamed ? { stream: true } : {}) };
        const response = await app.call(account.secret, body, wire);
        expect({ kind, status: response.status }).toEqual({ kind, status: 200 });
        expect(await response.text()).not.toMatch(/"error":\s*\{/);
        const id = response.headers.get('x-generation-id');
        const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`);
        expect(receipt).toMatchObject({ outcome: 'completed', usage_source: 'none' });
        expect([Number(receipt?.prompt_tokens), Number(receipt?.completion_tokens)]).toEqual([0, 0]);
      }
      expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000, pending: 0 });
    },
  );

  it.each(models)(
    'is charged as its provider counted where a stop text of the request may have ended it: %s',
    async (model) => {
      const caller = await app.createAccount(5);
      for (const stream of [false, true]) {
        const ask = questions['/chat/completions']?.(model, 'Hello @@framed');
        const response = await app.call(caller.secret, { ...ask, stop: ['Hello'], stream });
        await response.text();
        const id = response.headers.get('x-generation-id');
        const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`);
        expect(receipt).toMatchObject({ outcome: 'completed', usage_source: 'reported' });
        expect([Number(receipt?.prompt_tokens), Number(receipt?.completion_tokens)]).toEqual([25, 3]);
      }
    },
  );

  it('counts with those that are left for free: whoever has a quarter of its requests so is told to wait a minute', async () => {
    const bounded = await TestApp.start(await openTestDatabase(), {
      ...allDialectsAt(upstream.baseUrl),
      REQUESTS_PER_MINUTE: '12',
    });
    const [burner, other] = [await bounded.createAccount(5), await bounded.createAccount(5)];
    const body = { model: 'claude-opus-5', messages: [{ role: 'user', content: 'Hello @@filtered' }] };
    for (let call = 0; call < 3; call += 1) expect((await bounded.call(burner.secret, body)).status).toBe(200);
    const refused = await bounded.call(burner.secret, body);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    const message = expect.stringMatching(/^3 calls of this account .* or answered without any output/);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', message } });
    expect((await bounded.call(other.secret, body)).status).toBe(200);
    await bounded.close();
  });
});
