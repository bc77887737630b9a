/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { isPublicPage } from '../../app/pages';
import { pathPatterns, paths } from '../../app/paths';
import ModelRoute from '../../app/routes/model';
import { renderPage } from '../../test/render-page';
import { embeddingSnippets } from './embedding-snippets';

const capabilities = { vision: true, tools: true, jsonSchema: false, reasoning: false };
const model = (id: string, changes: object = {}) => ({
  ...{ __typename: 'Model', id, tier: 'higher', endpoint: 'CHAT', creditsPerThousandTokens: 2, isDemo: false },
  ...{ contextTokens: 128_000, maxOutputTokens: 16_384, capabilities: { __typename: 'Able', ...capabilities } },
  routes: [
    { __typename: 'ModelRoute', provider: 'openai', upstreamModel: `${id}-there`, state: 'HEALTHY' },
    { __typename: 'ModelRoute', provider: 'azure', upstreamModel: id, state: 'DOWN' },
  ],
  ...changes,
});
const figures = { __typename: 'ServiceFigures', uptimePercent: 99.98, p50Ms: 1_200, p95Ms: 4_020, firstByteP50Ms: 300 };
const serviceStatus = {
  ...{ __typename: 'ServiceStatus', measuredAt: '2026-11-20T10:00:00.000Z' },
  providers: [
    {
      ...{ __typename: 'ProviderMeasures', provider: 'openai', figures, days: [] },
      models: [{ __typename: 'ModelMeasures', model: 'llama3:8b', figures }],
    },
  ],
};
const vectors = { endpoint: 'EMBEDDINGS', maxOutputTokens: 0 };
const answers = {
  Models: () => ({ data: { models: [model('llama3:8b'), model('gpt-4.1'), model('to-vectors', vectors)] } }),
  ServiceStatus: () => ({ data: { serviceStatus } }),
  Role: () => ({ data: { viewer: null } }),
};

function open(path: string) {
  const routed = (
    <Routes>
      <Route path={pathPatterns.model} element={<ModelRoute />} />
    </Routes>
  );
  return renderPage(routed, answers, path);
}

describe('the page of a model', () => {
  it('says what it costs and can do, who answers and how well, and how it is called', async () => {
    open(paths.model('llama3:8b'));
    screen.getByRole('heading', { level: 1, name: 'llama3:8b' });
    await screen.findByText('$2.00');
    const facts = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(facts).toEqual(['$2.00', '2', 'higher', '128,000', '16,384', 'Images, Tools']);
    await screen.findByText('99.98 %');
    const [, first, second] = within(screen.getByRole('table', { name: 'Providers' })).getAllByRole('row');
    expect(first?.textContent).toBe('openaiUpllama3:8b-there99.98 %1.20 s4.02 s300 ms');
    expect(second?.textContent).toBe('azurePaused after failuresllama3:8bnot measured yet–––');
    screen.getByText(/once a provider has answered 10 calls/);
    expect(screen.getByRole('region', { name: 'curl snippet' }).textContent).toContain('"model": "llama3:8b"');
    expect(screen.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe('/models?compare=llama3%3A8b');
    expect(screen.getByRole('link', { name: 'Try it' }).getAttribute('href')).toBe('/playground?model=llama3%3A8b');
  });

  it('of vectors shows how they are made, and offers no playground', async () => {
    open(paths.model('to-vectors'));
    const code = await screen.findByRole('region', { name: 'curl snippet' });
    expect(code.textContent).toContain('/embeddings');
    expect(screen.queryByRole('link', { name: 'Try it' })).toBeNull();
    expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).not.toContain('0');
  });

  it('says of a name that is not offered that there is no such model, and leads to all of them', async () => {
    open('/models/gone');
    await screen.findByRole('heading', { level: 1, name: 'No such model' });
    expect(screen.getByRole('link', { name: 'All models' }).getAttribute('href')).toBe('/models');
  });

  it.each(['llama3:8b', 'gpt-4.1', 'a%b', 'a b?c#d', 'ü'])('is public, and of %s at an address of its own', (id) => {
    const path = paths.model(id);
    expect(path).toMatch(/^\/models\/[^/?# ]+$/);
    expect(decodeURIComponent(path)).toBe(`/models/${id}`);
    expect([isPublicPage(path), isPublicPage('/models/a/b')]).toEqual([true, false]);
  });
});

describe('the code that makes vectors', () => {
  it('has the secret, the base URL and the model in every language, and a body that is JSON', () => {
    const facts = { baseUrl: 'http://localhost:8080/api/proxy.php', secret: 'sk-tg-abc', model: 'to-vectors' };
    const [curl, ...others] = embeddingSnippets(facts);
    for (const { code } of embeddingSnippets(facts)) {
      for (const fact of Object.values(facts)) expect(code).toContain(fact);
    }
    expect(JSON.parse(/-d '(.*)'/s.exec(curl?.code ?? '')?.[1] ?? '')).toMatchObject({ model: 'to-vectors' });
    expect(others.filter(({ code }) => code.includes('/embeddings'))).toEqual([]);
  });
});
