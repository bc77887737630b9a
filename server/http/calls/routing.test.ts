import OpenAI from 'openai';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FakeUpstream } from '../../test/fake-upstream.js';

type Body = { error?: { code: string; message: string }; model?: string; usage?: { total_tokens: number } };

// Nobody listens on the discard port.
const deadBaseUrl = 'http://127.0.0.1:9/v1';
// The price list has gpt-4o-mini at OpenAI first and at OpenRouter second, gpt-4.1-mini at OpenAI alone.
const twoRoutes = 'gpt-4o-mini';
const oneRoute = 'gpt-4.1-mini';

const ask = (model: string, content: string, isStreamed = false) => ({
  model,
  messages: [{ role: 'user', content }],
  max_tokens: 100,
  ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
});

describeOnEachDatabase('Routing', (openTestDatabase) => {
  let app: TestApp;
  let second: FakeUpstream;
  let account: TestAccount;

  const start = async (settings: Record<string, string> = {}) => {
    second = await FakeUpstream.start();
    app = await TestApp.start(await openTestDatabase(), {
      OPENROUTER_API_KEY: 'sk-second-canary-0123456789',
      OPENROUTER_BASE_URL: second.baseUrl,
      UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '400',
      ...settings,
    });
    account = await app.createAccount(5);
  };
  const stop = async () => {
    await app.close();
    await second.close();
  };

  /** One call to its end, what it cost, and whom it asked. */
  const run = async (body: object, headers: Record<string, string> = {}) => {
    const before = await app.findWallet(account.accountId);
    const counts = [app.upstream.requests.length, second.requests.length] as const;
    const response = await app.call(account.secret, body, '/chat/completions', headers);
    const text = await response.text();
    await app.waitUntilSettled(account.accountId);
    const { attempts, ...receipt } = await findReceipt(response.headers.get('x-request-id'));
    const asked = [app.upstream.requests.length - counts[0], second.requests.length - counts[1]];
    const charged = before.posted - (await app.findWallet(account.accountId)).posted;
    return { status: response.status, headers: response.headers, text, charged, asked, attempts, receipt };
  };
  const findReceipt = async (callId: string | null) => {
    const response = await fetch(`${app.proxyUrl}/calls/${callId}`, {
      headers: { authorization: `Bearer ${account.secret}` },
    });
    return (await response.json()) as {
      provider?: string;
      attempts?: { provider: string }[];
      credits_charged?: number;
    };
  };
  const read = (text: string) => JSON.parse(text) as Body;
  // What the fake upstream reports for its three pieces.
  const honestTokens = 11 + 3;

  describe('when a provider fails, without a breaker', () => {
    beforeAll(() => start());
    afterAll(stop);

    describe.each([[false], [true]])('streamed: %s', (isStreamed) => {
      const expectWholeAnswer = ({ status, text }: { status: number; text: string }) => {
        expect(status).toBe(200);
        if (isStreamed) expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
        else expect(read(text).usage?.total_tokens).toBe(honestTokens);
      };

      it.each([
        ['429', '@@status=429 @@retry-after=7', 429, 'provider_rate_limited'],
        ['500', '@@status=500', 502, 'provider_error'],
        ['529', '@@status=529', 503, 'provider_overloaded'],
        ['401', '@@status=401', 503, 'provider_unavailable'],
        ['100 that nobody asked for', '@@continue', 502, 'provider_error'],
      ])(
        '%s goes to the next route and is charged once; without one it is one clean error',
        async (_, verb, status, code) => {
          // The verb is obeyed by both upstreams, so the second one is pinned where it must answer.
          const alone = await run(ask(oneRoute, verb, isStreamed));
          expect(alone).toMatchObject({
            status,
            charged: 0,
            asked: [1, 0],
            attempts: [{ provider: 'openai', error_code: code }],
          });
          expect(read(alone.text).error?.code).toBe(code);

          second.ignoresVerbs = true;
          const fallen = await run(ask(twoRoutes, verb, isStreamed));
          second.ignoresVerbs = false;
          expectWholeAnswer(fallen);
          expect(fallen).toMatchObject({
            charged: honestTokens,
            asked: [1, 1],
            receipt: { provider: 'openrouter', credits_charged: honestTokens / 1_000 },
            attempts: [
              { provider: 'openai', error_code: code },
              { provider: 'openrouter', upstream_model: 'openai/gpt-4o-mini', status: 200, error_code: null },
            ],
          });
        },
      );

      it.each([
        ['slow', '@@stall', 504, 'provider_timeout'],
        ['slow for a gateway before it', '@@status=504', 504, 'provider_timeout'],
        ['cut after the head', '@@cut-before-body', 502, 'provider_error'],
      ])('%s stays one clean error: the work may have been done already', async (_, verb, status, code) => {
        const calls = [await run(ask(oneRoute, verb, isStreamed)), await run(ask(twoRoutes, verb, isStreamed))];
        for (const call of calls) {
          expect(call).toMatchObject({ status, charged: 0, asked: [1, 0] });
          expect(read(call.text).error?.code).toBe(code);
        }
      });

      it('a fault of the caller goes nowhere else', async () => {
        const call = await run(ask(twoRoutes, '@@status=400', isStreamed));
        expect(call).toMatchObject({ status: 400, charged: 0, asked: [1, 0] });
      });

      it('all of them: one clean error, nothing charged', async () => {
        const call = await run(ask(twoRoutes, '@@status=500', isStreamed));
        expect(call).toMatchObject({ status: 502, charged: 0, asked: [1, 1] });
        expect(call.attempts).toHaveLength(2);
      });
    });

    it.each([[oneRoute], [twoRoutes]])(
      'a stream of %s that dies in the middle is charged once, and not begun anew',
      async (model) => {
        const { status, text, asked, charged, attempts } = await run(ask(model, '@@cut=2', true));
        expect({ status, asked }).toEqual({ status: 200, asked: [1, 0] });
        expect(text).toContain('"code":"provider_error"');
        expect(text).not.toContain('[DONE]');
        expect(charged).toBeGreaterThan(0);
        expect(attempts).toMatchObject([{ provider: 'openai', status: 200, error_code: 'provider_error' }]);
      },
    );

    it('shows the attempts in GraphQL', async () => {
      second.ignoresVerbs = true;
      const { headers } = await run(ask(twoRoutes, '@@status=503'));
      second.ignoresVerbs = false;
      const { call } = await app.graphql<{ call: object }>(
        'query ($id: ID!) { call(id: $id) { provider attempts { provider upstreamModel status errorCode startMs durationMs } } }',
        { id: headers.get('x-request-id') },
        account.sessionToken,
      );
      const times = { startMs: expect.any(Number), durationMs: expect.any(Number) };
      expect(call).toEqual({
        provider: 'openrouter',
        attempts: [
          { provider: 'openai', upstreamModel: twoRoutes, status: 503, errorCode: 'provider_overloaded', ...times },
          { provider: 'openrouter', upstreamModel: 'openai/gpt-4o-mini', status: 200, errorCode: null, ...times },
        ],
      });
      const [failed, answered] = (call as { attempts: { startMs: number; durationMs: number }[] }).attempts;
      expect(answered?.startMs).toBeGreaterThanOrEqual(Number(failed?.startMs) + Number(failed?.durationMs) - 1);
    });
  });

  describe('when a provider cannot be reached', () => {
    beforeAll(() => start({ OPENAI_BASE_URL: deadBaseUrl }));
    afterAll(stop);

    it.each([[false], [true]])('goes to the next route, or is one clean error (streamed: %s)', async (isStreamed) => {
      const fallen = await run(ask(twoRoutes, 'Hi', isStreamed));
      expect(fallen).toMatchObject({
        status: 200,
        charged: honestTokens,
        asked: [0, 1],
        attempts: [{ provider: 'openai', status: null, error_code: 'provider_error' }, { provider: 'openrouter' }],
      });
      const alone = await run(ask(oneRoute, 'Hi', isStreamed));
      expect(alone).toMatchObject({ status: 502, charged: 0, asked: [0, 0] });
      expect(read(alone.text).error?.code).toBe('provider_error');
    });
  });

  describe('a circuit breaker', () => {
    /** Failures of two accounts, which open it for all. */
    const fail = async (model: string, times: number) => {
      const other = await app.createAccount(5);
      await (await app.call(other.secret, ask(model, '@@status=500'))).text();
      await app.waitUntilSettled(other.accountId);
      for (let failure = 1; failure < times; failure += 1) await run(ask(model, '@@status=500'));
    };
    const findStates = async () => {
      const { providers, models } = await app.graphql<{
        providers: { id: string; state: string; retryAt: string | null; models: string[] }[];
        models: { id: string; routes: { provider: string; state: string }[] }[];
      }>('{ providers { id name isDemo state retryAt models } models { id routes { provider upstreamModel state } } }');
      return {
        openai: providers.find(({ id }) => id === 'openai'),
        routes: models.find(({ id }) => id === oneRoute)?.routes,
      };
    };

    describe('that stays open', () => {
      beforeAll(() => start({ BREAKER_FAILURES: '3', BREAKER_OPEN_MS: '60000' }));
      afterAll(stop);

      it('opens after so many failures: no request goes out, the caller hears at once when to come back', async () => {
        expect((await findStates()).openai).toMatchObject({ state: 'HEALTHY', retryAt: null });
        await fail(oneRoute, 3);
        const refused = await run(ask(oneRoute, 'Hi'));
        expect(refused).toMatchObject({ status: 503, charged: 0, asked: [0, 0] });
        expect(read(refused.text).error?.code).toBe('provider_unavailable');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
        const { openai, routes } = await findStates();
        expect(openai).toMatchObject({ name: 'OpenAI', state: 'DEGRADED', retryAt: expect.any(String) });
        expect(routes).toEqual([{ provider: 'openai', upstreamModel: oneRoute, state: 'DOWN' }]);
        expect(app.logLines.filter((line) => line.includes('provider_left_alone'))).toHaveLength(1);
      });

      it('leaves the other models of the provider alone', async () => {
        expect(await run(ask('gpt-4.1-nano', 'Hi'))).toMatchObject({ status: 200, asked: [1, 0] });
      });

      it('lets the next route answer', async () => {
        second.ignoresVerbs = true;
        for (let failure = 0; failure < 3; failure += 1) {
          expect(await run(ask(twoRoutes, '@@status=500'))).toMatchObject({ status: 200, asked: [1, 1] });
        }
        expect(await run(ask(twoRoutes, '@@status=500'))).toMatchObject({ status: 200, asked: [0, 1] });
        second.ignoresVerbs = false;
      });

      it('opens at the first 429 that says how long to wait', async () => {
        const first = await run(ask('gpt-5-nano', '@@status=429 @@retry-after=50'));
        expect(first).toMatchObject({ status: 429, asked: [1, 0] });
        const next = await run(ask('gpt-5-nano', 'Hi'));
        expect(next).toMatchObject({ status: 503, asked: [0, 0] });
      });

      it('does not count what callers get wrong', async () => {
        for (let fault = 0; fault < 5; fault += 1) await run(ask('gpt-5-mini', '@@status=400'));
        expect(await run(ask('gpt-5-mini', 'Hi'))).toMatchObject({ status: 200, asked: [1, 0] });
      });

      it('does not count requests that are larger than the provider takes of us, and lets the next route answer them', async () => {
        const tooLarge = '@@status=429 @@retry-after=50 @@too-large';
        const refused = await run(ask('gpt-5', tooLarge));
        expect(refused).toMatchObject({ status: 400, charged: 0, asked: [1, 0] });
        expect(refused.text).not.toContain('org-');
        for (let fault = 0; fault < 5; fault += 1) await run(ask('gpt-5', tooLarge));
        expect(await run(ask('gpt-5', 'Hi'))).toMatchObject({ status: 200, asked: [1, 0] });
        second.ignoresVerbs = true;
        // An open circuit would have passed the first route over.
        const elsewhere = await run(ask('gpt-4o', tooLarge));
        second.ignoresVerbs = false;
        expect(elsewhere).toMatchObject({ status: 200, asked: [1, 1] });
      });

      it('counts streams that die in the middle', async () => {
        for (let failure = 0; failure < 3; failure += 1) await run(ask('gpt-4o', '@@cut=2', true));
        expect(await run(ask('openai/gpt-4o', 'Hi'))).toMatchObject({ status: 503, asked: [0, 0] });
      });
    });

    describe('whose time is over', () => {
      beforeAll(() => start({ BREAKER_FAILURES: '3', BREAKER_OPEN_MS: '1' }));
      afterAll(stop);

      it('lets one call through as a probe: a failure opens it again, an answer closes it', async () => {
        await fail(oneRoute, 3);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(await run(ask(oneRoute, '@@status=500'))).toMatchObject({ status: 502, asked: [1, 0] });
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect((await findStates()).routes).toMatchObject([{ state: 'DOWN' }]);
        expect(await run(ask(oneRoute, 'Hi'))).toMatchObject({ status: 200, asked: [1, 0] });
        expect((await findStates()).routes).toMatchObject([{ state: 'HEALTHY' }]);
        expect(app.logLines.filter((line) => line.includes('provider_left_alone'))).toHaveLength(1);
        expect(app.logLines.filter((line) => line.includes('provider_answers_again'))).toHaveLength(1);
      });
    });
  });

  describe('a caller who wants another provider', () => {
    beforeAll(() => start());
    afterAll(stop);

    const script = async (model: string, headers: Record<string, string> = {}) => {
      const client = new OpenAI({
        baseURL: app.proxyUrl,
        apiKey: account.secret,
        maxRetries: 0,
        defaultHeaders: headers,
      });
      const counts = [app.upstream.requests.length, second.requests.length] as const;
      const answer = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
      expect(answer.choices[0]?.message.content).toBeTruthy();
      return [app.upstream.requests.length - counts[0], second.requests.length - counts[1]];
    };
    const prefer = (provider: string | null) =>
      app.graphql<{ setPreferredProvider: object }>(
        'mutation ($provider: ID) { setPreferredProvider(provider: $provider) { preferredProvider } }',
        { provider },
        account.sessionToken,
      );

    it('moves by the model name alone', async () => {
      expect(await script(twoRoutes)).toEqual([1, 0]);
      expect(await script(`openrouter/${twoRoutes}`)).toEqual([0, 1]);
      expect(await script('openrouter/openai/gpt-4o-mini')).toEqual([0, 1]);
    });

    it('moves by the header alone', async () => {
      expect(await script(twoRoutes, { 'x-tollgate-provider': 'openrouter' })).toEqual([0, 1]);
      // A name that pins stands above it.
      expect(await script(`openai/${twoRoutes}`, { 'x-tollgate-provider': 'openrouter' })).toEqual([1, 0]);
    });

    it('moves by the setting of the account alone, and back', async () => {
      expect(await prefer('openrouter')).toEqual({ setPreferredProvider: { preferredProvider: 'openrouter' } });
      expect(await script(twoRoutes)).toEqual([0, 1]);
      // Where it does not serve the model, somebody else does; and the header stands above it.
      expect(await script(oneRoute)).toEqual([1, 0]);
      expect(await script(twoRoutes, { 'x-tollgate-provider': 'openai' })).toEqual([1, 0]);
      const { viewer } = await app.graphql<{ viewer: object }>(
        '{ viewer { preferredProvider } }',
        {},
        account.sessionToken,
      );
      expect(viewer).toEqual({ preferredProvider: 'openrouter' });
      expect(await prefer(null)).toEqual({ setPreferredProvider: { preferredProvider: null } });
      expect(await script(twoRoutes)).toEqual([1, 0]);
    });

    it('is told who serves the model when the provider of the header does not', async () => {
      const call = await run(ask(oneRoute, 'Hi'), { 'x-tollgate-provider': 'openrouter' });
      expect(call).toMatchObject({ status: 400, charged: 0, asked: [0, 0] });
      expect(read(call.text).error).toMatchObject({ code: 'invalid_value', param: 'x-tollgate-provider' });
      expect(read(call.text).error?.message).toContain('Those that do: openai.');
    });

    it('cannot prefer a provider that is not there', async () => {
      await expect(prefer('acme')).rejects.toThrow(/no provider 'acme'.*BAD_USER_INPUT/);
    });
  });
});
