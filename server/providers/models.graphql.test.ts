import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('What is told about models and providers', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { OPENROUTER_API_KEY: 'sk-or', PERPLEXITY_API_KEY: 'pplx' });

  it('in GraphQL: what a model can do, and every way to have it answer', async () => {
    const { models } = await app.graphql<{ models: { id: string }[] }>(
      '{ models { id capabilities { vision tools jsonSchema reasoning } routes { provider upstreamModel state } } }',
    );
    expect(models.find(({ id }) => id === 'gpt-4o-mini')).toEqual({
      id: 'gpt-4o-mini',
      capabilities: { vision: true, tools: true, jsonSchema: true, reasoning: false },
      routes: [
        { provider: 'openai', upstreamModel: 'gpt-4o-mini', state: 'HEALTHY' },
        { provider: 'openrouter', upstreamModel: 'openai/gpt-4o-mini', state: 'HEALTHY' },
      ],
    });
  });

  it('in GraphQL: every provider that is on, by the name that people know, and no other', async () => {
    const { providers } = await app.graphql<{ providers: { id: string; models: string[] }[] }>(
      '{ providers { id name isDemo state retryAt models } }',
    );
    expect(providers.map(({ id }) => id)).toEqual(['demo', 'openai', 'openrouter', 'perplexity']);
    expect(providers[3]).toEqual({
      id: 'perplexity',
      name: 'Perplexity',
      isDemo: false,
      state: 'HEALTHY',
      retryAt: null,
      models: ['sonar', 'sonar-pro'],
    });
    expect(providers[0]).toMatchObject({ name: 'Demo', isDemo: true });
  });

  it('in the list that clients read: parameters and kinds of input, in OpenRouter’s words', async () => {
    const response = await fetch(`${app.proxyUrl}/models`);
    const { data } = (await response.json()) as {
      data: { id: string; supported_parameters: string[]; architecture: { input_modalities: string[] } }[];
    };
    const find = (wanted: string) => data.find(({ id }) => id === wanted);
    expect(find('gpt-5-mini')?.supported_parameters).toEqual(
      expect.arrayContaining(['tools', 'structured_outputs', 'reasoning_effort']),
    );
    expect(find('gpt-4o-mini')?.supported_parameters).not.toContain('reasoning_effort');
    expect(find('sonar')?.supported_parameters).not.toContain('tools');
    expect(find('sonar')?.architecture.input_modalities).toEqual(['text']);
    expect(find('gpt-4o')?.architecture.input_modalities).toEqual(['text', 'image']);
  });
});
