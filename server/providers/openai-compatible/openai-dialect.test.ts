import { providerCatalogue } from '../catalogue.js';
import type { AnswerContext, UpstreamEvent } from '../provider-adapter.js';
import { createOpenAiCompatibleAdapter } from './openai-compatible-adapter.js';
import { commonDialect } from './openai-dialect.js';

const google = 'https://generativelanguage.googleapis.com/v1beta/openai';
const elsewhere = 'https://googleapis.com.acme.example/v1';

// As Google's OpenAI-compatible endpoint writes it: 94 tokens of thoughts stand in the total alone.
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 106 };
const choice = { index: 0, finish_reason: 'stop' };

function readOutputTokens(
  dialect: typeof commonDialect,
  { baseUrl, isStreamed }: { baseUrl: string; isStreamed: boolean },
): number[] {
  const names = { providerId: 'acme', publicModel: 'public', answerId: 'call_1', createdSeconds: 9 };
  const context: AnswerContext = { ...names, baseUrl };
  const adapter = createOpenAiCompatibleAdapter(dialect);
  const events: readonly UpstreamEvent[] = isStreamed
    ? adapter
        .parseStream(context)
        .push({ name: null, data: JSON.stringify({ choices: [{ ...choice, delta: { content: '1, ' } }], usage }) })
    : adapter.parseResponse(JSON.stringify({ choices: [{ ...choice, message: { content: '1, ' } }], usage }), context);
  return events.flatMap((event) => (event.type === 'usage' ? [event.usage.outputTokens] : []));
}

describe.each([[false], [true]])('A total above the sum of its counts (streamed: %s)', (isStreamed) => {
  const dialects = providerCatalogue.flatMap(({ id, dialect }) => (dialect ? [[id, dialect] as const] : []));

  it('is reasoning at xAI, and nothing at every other provider of the catalogue', () => {
    const counts = dialects.map(([id, dialect]) => [
      id,
      ...readOutputTokens(dialect, { baseUrl: elsewhere, isStreamed }),
    ]);
    expect(counts).toEqual(dialects.map(([id]) => [id, id === 'xai' ? 97 : 3]));
  });

  it('is reasoning at Google’s own hosts, also of a provider that was moved there, unless the dialect says otherwise', () => {
    expect(readOutputTokens(commonDialect, { baseUrl: google, isStreamed })).toEqual([97]);
    expect(
      readOutputTokens({ ...commonDialect, reasoningTokens: 'in_completion' }, { baseUrl: google, isStreamed }),
    ).toEqual([3]);
    expect(
      readOutputTokens({ ...commonDialect, reasoningTokens: 'beside_completion' }, { baseUrl: elsewhere, isStreamed }),
    ).toEqual([97]);
  });
});
