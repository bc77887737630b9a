import { AppError } from '../../kernel/app-error.js';
import { Secret } from '../../kernel/secret.js';
import { FakeUpstream } from '../../test/fake-upstream.js';
import { providerContracts } from '../../test/provider-contracts/all-contracts.js';
import { pullEvents } from '../../test/pull-events.js';
import { UpstreamClient } from '../call-upstream.js';
import { providerCatalogue } from '../catalogue.js';
import type { ChatRequest } from '../chat-types.js';
import type { HttpTarget, UpstreamEvent } from '../provider-adapter.js';

const timeouts = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000 };
const request: ChatRequest = {
  model: 'public-name',
  messages: [
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'Hi' },
  ],
  max_completion_tokens: 9,
};

const nativeAdapters = providerContracts.slice(1).map(({ adapter }) => adapter);
const compatibleProviders = providerCatalogue.filter(({ adapter }) => !nativeAdapters.includes(adapter));

/** What holds over HTTP for every compatible line of the catalogue, whatever its dialect. */
describe.each(compatibleProviders.map((provider) => [provider.id, provider] as const))(
  'provider %s',
  (providerId, { adapter, dialect }) => {
    let upstream: FakeUpstream;
    let client: UpstreamClient;
    let target: HttpTarget;

    beforeAll(async () => {
      upstream = await FakeUpstream.start();
      client = new UpstreamClient({ timeouts });
      const apiKey = new Secret('canary-key-0123456789');
      target = { kind: 'http', providerId, adapter, baseUrl: upstream.baseUrl, apiKey, upstreamModel: 'their-name' };
    });
    afterAll(async () => {
      await client.close();
      await upstream.close();
    });

    async function ask(verbs: string, stream: boolean) {
      const messages = [...request.messages, { role: 'user', content: verbs } as const];
      const events: UpstreamEvent[] = [];
      const { signal } = new AbortController();
      try {
        for await (const event of pullEvents(client, { target, request: { ...request, messages, stream }, signal }))
          events.push(event);
        return { events, error: null };
      } catch (error) {
        return { events, error };
      }
    }

    it.each([[false], [true]])('answers with text and reports usage exactly once (streamed: %s)', async (stream) => {
      const { events, error } = await ask('@@usage-unasked', stream);
      expect(error).toBeNull();
      expect(events.filter(({ type }) => type === 'usage')).toMatchObject([
        { usage: { inputTokens: 11, outputTokens: 3 } },
      ]);
      expect(JSON.stringify(events)).toContain('Hello');
    });

    it('sends our output cap and our key, and nobody else’s model name', async () => {
      await ask('Hi', true);
      const { body, headers } = upstream.requests.at(-1) ?? {};
      expect(body?.max_tokens ?? body?.max_completion_tokens).toBe(9);
      expect(body?.model).toBe('their-name');
      const { keyHeader = '', keyScheme = '' } = dialect ?? {};
      expect(headers?.[keyHeader]).toBe(`${keyScheme} canary-key-0123456789`.trim());
    });

    it.each([['@@cut=1'], ['@@error-event'], ['@@no-done @@no-finish']])(
      'never lets %s pass for a complete answer',
      async (verb) => {
        const { events, error } = await ask(verb, true);
        expect(events.length).toBeGreaterThan(0);
        expect(error).toMatchObject({ code: 'provider_error' });
      },
    );

    it.each([[400], [401], [429], [500]])('says no key, host or organisation when refused with %d', async (status) => {
      const { error } = await ask(`@@status=${status}`, false);
      expect(error).toBeInstanceOf(AppError);
      const shown = `${(error as AppError).message} ${JSON.stringify((error as AppError).metadata)}`;
      expect(shown).toContain(providerId);
      expect(shown).not.toMatch(/canary|Tollgate123|upstream\.example|internal|127\.0\.0\.1/);
    });
  },
);
