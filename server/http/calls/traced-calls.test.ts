import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase, openSqliteDatabase } from '../../test/each-database.js';
import { attributesOf, type CollectedSpan, TraceCollector } from '../../test/trace-collector.js';

const say = (content: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const traceparent = `00-${callersTrace}-${callersSpan}-01`;

/** Spans as a tree of names, children in the order of their beginning. */
function toTree(spans: readonly CollectedSpan[], parent: string | undefined): object {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parent);
  return Object.fromEntries(children.map(({ name, spanId }) => [name, toTree(spans, spanId)]));
}

const find = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name);

/** A server that is traced, and what its collector was sent by its end; the body may close nothing. */
async function trace(settings: Record<string, string>, work: (app: TestApp) => Promise<void>) {
  const collector = await TraceCollector.start();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings };
  const app = await TestApp.start(await openSqliteDatabase(), tracing);
  try {
    await work(app);
  } finally {
    await app.close();
    await collector.close();
  }
  return { collector, app, spans: collector.spans };
}

const whole = {
  admission: { 'ledger reserve': {} },
  'chat gpt-4o-mini': { 'first token': {} },
  'ledger settle': {},
};

describeOnEachDatabase('A call that is traced', (openTestDatabase) => {
  it.each([false, true])(
    'is one trace from admission to settlement, with its ids in the log, streamed: %s',
    async (stream) => {
      const collector = await TraceCollector.start();
      const app = await TestApp.start(await openTestDatabase(), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const account = await app.createAccount();
      const options = stream ? { stream, stream_options: { include_usage: true } } : {};
      const answer = await app.call(account.secret, { ...say('Hello'), ...options });
      const callId = answer.headers.get('x-request-id');
      await answer.text();
      const [receipt] = await app.query(
        'SELECT prompt_tokens AS p, completion_tokens AS c, charged_millicredits AS m FROM call_record',
      );
      await app.close();
      await collector.close();

      const { spans } = collector;
      expect(toTree(spans, undefined)).toEqual({ 'POST /chat/completions': whole });
      const [{ traceId = '' } = {}] = spans;
      expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
      for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
        expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
      }
      expect(attributesOf(find(spans, 'POST /chat/completions'))).toMatchObject({
        'http.route': '/chat/completions',
        'http.response.status_code': 200,
        'tollgate.call.id': callId,
        'tollgate.account.id': account.accountId,
        'tollgate.outcome': 'completed',
        'tollgate.charged_millicredits': Number(receipt?.m),
      });
      expect(attributesOf(find(spans, 'chat gpt-4o-mini'))).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.usage.input_tokens': Number(receipt?.p),
        'gen_ai.usage.output_tokens': Number(receipt?.c),
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
      });
      const line = app.logLines.map((text) => JSON.parse(text)).find(({ event }) => event === 'call_completed');
      expect(line).toMatchObject({ callId, traceId });
    },
  );
});

describe('Traces of calls', () => {
  it('continue the trace of the caller, and tell no provider of it', async () => {
    const { spans, app } = await trace({}, async (app) => {
      const { secret } = await app.createAccount();
      await (await app.call(secret, say('Hello'), '/chat/completions', { traceparent })).text();
    });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([callersTrace]));
    expect(toTree(spans, callersSpan)).toEqual({ 'POST /chat/completions': whole });
    expect(app.upstream.requests.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
  });

  it('are told to providers where the operator says so, each attempt by its own span', async () => {
    const { spans, app } = await trace({ TRACE_PROVIDERS: 'on' }, async (app) => {
      const { secret } = await app.createAccount();
      await (await app.call(secret, say('Hello'), '/chat/completions', { traceparent })).text();
    });
    const attempt = find(spans, 'chat gpt-4o-mini');
    expect(app.upstream.requests[0]?.headers.traceparent).toBe(`00-${callersTrace}-${attempt?.spanId}-01`);
  });

  it('are not made of a call whose caller keeps no trace, nor of anything that is no call', async () => {
    const { spans } = await trace({}, async (app) => {
      const { secret } = await app.createAccount();
      const unkept = `00-${callersTrace}-${callersSpan}-00`;
      await (await app.call(secret, say('Hello'), '/chat/completions', { traceparent: unkept })).text();
      await (await fetch(`${app.proxyUrl}/models`, { headers: { traceparent } })).text();
      await (await fetch(`${app.proxyUrl}/chat/completions`, { headers: { traceparent } })).text();
    });
    expect(spans).toEqual([]);
  });

  it('say by its code what a call was refused for, and blame the caller for what is the caller’s', async () => {
    const { spans } = await trace({}, async (app) => {
      const { secret } = await app.createAccount(0);
      expect((await app.call(secret, say('Hello'))).status).toBe(402);
      expect((await app.call('sk-tg-wrong', say('Hello'))).status).toBe(401);
    });
    const calls = spans.filter(({ name }) => name === 'POST /chat/completions');
    expect(calls.map((span) => [attributesOf(span)['error.type'], span.status])).toEqual([
      ['insufficient_quota', {}],
      ['invalid_api_key', {}],
    ]);
    expect(find(spans, 'chat gpt-4o-mini')).toBeUndefined();
  });

  it('say which attempt failed at a provider, and with what', async () => {
    const { spans } = await trace({}, async (app) => {
      const { secret } = await app.createAccount();
      await (await app.call(secret, say('@@status=500'))).text();
    });
    const attempt = find(spans, 'chat gpt-4o-mini');
    expect(attributesOf(attempt)).toMatchObject({ 'http.response.status_code': 500, 'error.type': 'provider_error' });
    expect([attempt?.status.code, find(spans, 'POST /chat/completions')?.status.code]).toEqual([2, 2]);
    expect(attributesOf(find(spans, 'POST /chat/completions'))['tollgate.outcome']).toBe('failed');
  });

  it('hold no word of prompt, answer, key, or header of the caller', async () => {
    let secret = '';
    let answered = '';
    const { collector } = await trace({ OTEL_EXPORTER_OTLP_HEADERS: 'x-token=canary%2Ctoken' }, async (app) => {
      ({ secret } = await app.createAccount());
      for (const body of [say('canary-prompt'), { ...say('canary-prompt'), model: 'canary-model' }]) {
        const headers = { 'x-request-id': 'canary-id', 'user-agent': 'canary-agent', tracestate: 'canary=state' };
        answered += await (
          await app.call(secret, { ...body, user: 'canary-user' }, '/chat/completions', headers)
        ).text();
      }
      await (await app.call(secret, say('x'), '/openai/deployments/canary-deployment/chat/completions')).text();
    });
    const sent = collector.bodies.join('\n');
    expect(collector.spans.length).toBeGreaterThan(7);
    expect(sent).not.toContain('canary');
    expect(sent).not.toContain(secret);
    const [, content = ''] = /"content":"([^"]+)"/.exec(answered) ?? [];
    expect(content).not.toBe('');
    expect(sent).not.toContain(content);
    expect(sent).not.toContain('sk-operator');
    expect(collector.headers.map((headers) => headers['x-token'])).toEqual(collector.bodies.map(() => 'canary,token'));
  });

  it.each(['away', 'hanging', 'refusing'])(
    'fail no call while the collector is %s, and say what became of them',
    async (how) => {
      const collector = await TraceCollector.start();
      const { url } = collector;
      if (how === 'away') await collector.close();
      else collector.answer = (response) => (how === 'hanging' ? undefined : void response.writeHead(401).end());
      const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: url, METRICS_TOKEN: 'a-token-of-the-operator' };
      const app = await TestApp.start(await openSqliteDatabase(), settings);
      const { secret } = await app.createAccount();
      const statuses = [];
      for (let count = 0; count < 60; count += 1) {
        const answer = await app.call(secret, say('Hello'));
        statuses.push(answer.status);
        await answer.text();
      }
      const headers = { authorization: 'Bearer a-token-of-the-operator' };
      const figures = await (await fetch(`${app.baseUrl}/metrics`, { headers })).text();
      await app.close();
      if (how !== 'away') await collector.close();
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(figures).toMatch(/^tollgate_trace_spans_waiting \d+$/m);
      expect(app.logLines.join('')).toContain(how === 'refusing' ? 'trace_spans_refused' : 'call_completed');
    },
  );
});
