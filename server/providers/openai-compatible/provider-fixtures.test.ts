import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../kernel/app-error.js';
import { Secret } from '../../kernel/secret.js';
import { findRepositoryRoot } from '../../test/architecture/source-tree.js';
import { providerCatalogue } from '../catalogue.js';
import type { ChatRequest } from '../chat-types.js';
import type { AnswerContext, HttpTarget, TokenUsage, UpstreamEvent } from '../provider-adapter.js';

/** What is odd about one provider, in the shape of its own documents. */
interface Fixture {
  readonly why: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** The request, without model and stream. */
  readonly asks: Omit<ChatRequest, 'model'>;
  /** Exactly the body that goes out for a plain call. */
  readonly sends: object;
  /** What a streamed call's body has besides. */
  readonly streamSends: object;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: object;
  /** The same answer, streamed: the data of each event. */
  readonly stream: readonly (object | string)[];
  readonly expected: {
    readonly text: string;
    readonly finishReason: string;
    readonly usage: TokenUsage;
    /** What of it no caller may see. */
    readonly hidden: readonly string[];
  };
}

const folder = join(findRepositoryRoot(import.meta.dirname), 'server/providers/openai-compatible/fixtures');
const compatible = providerCatalogue.filter(({ dialect }) => dialect !== undefined);
const context: AnswerContext = { providerId: 'acme', publicModel: 'public', answerId: 'call_1', createdSeconds: 9 };

it('every compatible provider has a fixture, and there are at least twelve', () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  expect(names.sort()).toEqual(compatible.map(({ id }) => id).sort());
  expect(names.length).toBeGreaterThanOrEqual(12);
});

describe.each(compatible.map((provider) => [provider.id, provider] as const))('%s', (id, { adapter, baseUrl }) => {
  const fixture = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as Fixture;
  const { expected } = fixture;
  const apiKey = new Secret('the-key');
  const target: HttpTarget = { kind: 'http', providerId: id, adapter, baseUrl, apiKey, upstreamModel: fixture.model };
  const build = (stream: boolean) => adapter.buildRequest({ ...fixture.asks, model: 'public', stream }, target);
  const shown = (events: readonly UpstreamEvent[]) => JSON.stringify(events.filter(({ type }) => type !== 'usage'));
  const lastUsage = (events: readonly UpstreamEvent[]) => events.findLast((event) => event.type === 'usage')?.usage;
  const expectHidden = (events: readonly UpstreamEvent[]) => {
    for (const words of [...expected.hidden, 'theirs']) expect(shown(events)).not.toContain(words);
  };

  it('is sent what it takes, and nothing else', () => {
    const plain = build(false);
    expect(JSON.parse(JSON.stringify(plain.body))).toEqual(fixture.sends);
    expect(plain.url).toBe(`${baseUrl}${fixture.path}`);
    expect(plain.headers).toMatchObject(fixture.headers);
    expect(JSON.parse(JSON.stringify(build(true).body))).toEqual({
      ...fixture.sends,
      stream: true,
      ...fixture.streamSends,
    });
  });

  it('is understood, and its tokens are counted in full', () => {
    const events = adapter.parseResponse(JSON.stringify(fixture.answer), context);
    expect(lastUsage(events)).toEqual(expected.usage);
    const [choice] = events.find((event) => event.type === 'completion')?.completion.choices ?? [];
    expect(choice).toMatchObject({ message: { content: expected.text }, finish_reason: expected.finishReason });
    expectHidden(events);
  });

  it('is understood streamed, with the same count', () => {
    const parser = adapter.parseStream(context);
    const events = fixture.stream.flatMap((data) => [
      ...parser.push({ name: null, data: typeof data === 'string' ? data : JSON.stringify(data) }),
    ]);
    expect(parser.isWhole).toBe(true);
    events.push(...(parser.end?.() ?? []));
    expect(lastUsage(events)).toEqual(expected.usage);
    const choices = events.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []));
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe(expected.text);
    expect(choices.flatMap(({ finish_reason: reason }) => reason ?? [])).toEqual([expected.finishReason]);
    expectHidden(events);
  });
});

describe('what a provider does not take and what cannot be left out', () => {
  const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } } as const;

  it.each([
    ['perplexity', 'tools', { tools: [tool] }],
    ['perplexity', 'n', { n: 2 }],
    ['groq', 'n', { n: 2 }],
    ['groq', 'logprobs', { logprobs: true }],
    ['mistral', 'logprobs', { logprobs: true }],
  ] as const)('%s: %s is refused by name', (id, param, asks) => {
    const provider = providerCatalogue.find((candidate) => candidate.id === id);
    if (!provider) throw new Error(`no provider ${id}`);
    const { adapter, baseUrl } = provider;
    const target: HttpTarget = { kind: 'http', providerId: id, adapter, baseUrl, apiKey: null, upstreamModel: 'm' };
    const request: ChatRequest = { model: 'public', messages: [{ role: 'user', content: 'Hi' }], ...asks };
    expect(() => adapter.buildRequest(request, target)).toThrow(AppError);
    expect(() => adapter.buildRequest(request, target)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param, message: expect.stringContaining(id) }),
    );
  });
});
