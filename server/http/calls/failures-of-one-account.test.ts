import OpenAI from 'openai';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FakeGemini } from '../../test/fake-gemini.js';

const failuresMax = 3;
// Each is answered by OpenAI alone.
const models = ['gpt-4.1-mini', 'gpt-4.1-nano', 'gpt-5-nano', 'gpt-5-mini', 'gpt-5', 'gpt-5.1', 'gpt-4o', 'gpt-4.1'];

const ask = (model: string, content: string, isStreamed = false) => ({
  model: `openai/${model}`,
  messages: [{ role: 'user', content }],
  max_tokens: 100,
  ...(isStreamed ? { stream: true } : {}),
});

describeOnEachDatabase('failures that one account’s requests bring about', (openTestDatabase) => {
  let app: TestApp;
  let failing: TestAccount;
  let other: TestAccount;

  const start = async (settings: Record<string, string>) => {
    const breaker = { BREAKER_FAILURES: String(failuresMax), BREAKER_OPEN_MS: '60000' };
    app = await TestApp.start(await openTestDatabase(), { ...breaker, ...settings });
    failing = await app.createAccount(5);
    other = await app.createAccount(5);
  };
  const call = async (account: TestAccount, body: object) => {
    const asked = app.upstream.requests.length;
    const response = await app.call(account.secret, body);
    const text = await response.text();
    await app.waitUntilSettled(account.accountId);
    const { status, headers } = response;
    return { status, text, retryAfter: headers.get('retry-after'), isSent: app.upstream.requests.length > asked };
  };
  const fail = async (model: string, content: string, isStreamed = false) => {
    for (let failure = 0; failure < failuresMax; failure += 1) await call(failing, ask(model, content, isStreamed));
  };

  describe('with a short wait for the first byte', () => {
    beforeAll(() => start({ UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '600' }));
    afterAll(() => app.close());

    it.each([
      ['status 500', '@@status=500', false],
      ['status 503 with a time to wait', '@@status=503 @@retry-after=30', false],
      ['status 429 with a time to wait', '@@status=429 @@retry-after=30', false],
      ['status 402', '@@status=402', false],
      ['no answer in time', '@@stall', false],
      ['a connection that breaks', '@@cut-before-body', false],
      ['an answer that cannot be read', '@@html', false],
      ['a stream that breaks off', '@@cut=2', true],
    ])('shut a route for that account alone: %s', async (title, verb, isStreamed) => {
      const model = String(models.pop());
      await fail(model, verb, isStreamed);
      const refused = await call(failing, ask(model, 'Hi'));
      expect([title, refused]).toEqual([title, expect.objectContaining({ status: 503, isSent: false })]);
      expect(Number(refused.retryAfter)).toBeGreaterThan(20);
      expect(await call(other, ask(model, 'Hi'))).toMatchObject({ status: 200, isSent: true });
    });
  });

  describe('with a short time for a whole call', () => {
    beforeAll(() => start({ UPSTREAM_TOTAL_TIMEOUT_MS: '1500' }));
    afterAll(() => app.close());

    it('shut it for nobody where an answer is still being written when our time for a call is over', async () => {
      await fail('gpt-4.1-mini', '@@tokens=90 @@delay=50', true);
      for (const account of [failing, other])
        expect(await call(account, ask('gpt-4.1-mini', 'Hi'))).toMatchObject({ status: 200, isSent: true });
    });
  });

  describe('because the model makes an invalid tool call', () => {
    const model = 'gemini-3.8-flash';
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
    ];
    let gemini: FakeGemini;
    beforeAll(async () => {
      gemini = await FakeGemini.start();
      await start({ GEMINI_API_KEY: 'AIzaSyOperatorCanary0123456789', GEMINI_BASE_URL: gemini.baseUrl });
    });
    afterAll(async () => {
      await app.close();
      await gemini.close();
    });

    it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
      'are told as that, free, not repeated by their client, and shut the route for nobody: %s',
      async (reason) => {
        const asked = gemini.calls.length;
        const messages = [{ role: 'user' as const, content: `@@stumbles=${reason}` }];
        const patient = new OpenAI({ baseURL: app.proxyUrl, apiKey: failing.secret });
        const charged = await app.chargeOf(failing, async () => {
          for (let stumble = 0; stumble < failuresMax; stumble += 1) {
            const failure = await patient.chat.completions.create({ model, messages, tools }).catch((error) => error);
            expect(failure).toMatchObject({ status: 502, code: 'model_error' });
            expect(String(failure.message)).toContain('made an invalid tool call');
            expect(failure.headers.get('x-should-retry')).toBe('false');
          }
          const streamed = await app.call(failing.secret, { model, messages, tools, stream: true });
          expect(await streamed.text()).toContain('"code":"model_error"');
        });
        expect([charged, gemini.calls.length - asked]).toEqual([0, failuresMax + 1]);
        const { providers } = await app.graphql<{ providers: object[] }>('{ providers { id state retryAt } }');
        expect(providers).toContainEqual({ id: 'gemini', state: 'HEALTHY', retryAt: null });
        for (const { secret } of [failing, other]) {
          const response = await app.call(secret, { model, messages: [{ role: 'user', content: 'Hi' }] });
          expect([response.status, (await response.text()).includes('Hello')]).toEqual([200, true]);
        }
      },
    );
  });
});
