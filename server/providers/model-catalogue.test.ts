import type { ProviderSettings } from '../config/config.js';
import { Secret } from '../kernel/secret.js';
import { modelAliases } from '../pricing/model-aliases.js';
import { priceList } from '../pricing/price-list.js';
import { providerCatalogue } from './catalogue.js';
import { buildCatalogue } from './model-catalogue.js';

const on: ProviderSettings = { apiKey: new Secret('sk-ours'), baseUrl: null };

function catalogueWith(providers: Record<string, ProviderSettings>, isDemoProviderOn = false) {
  return buildCatalogue({ providers, isDemoProviderOn });
}

describe('buildCatalogue', () => {
  it('offers the demo alone when nothing is set up, and labels it', () => {
    const { models } = catalogueWith({}, true);
    expect(models.map(({ id, tier, isDemo }) => [id, tier, isDemo])).toEqual([
      ['demo-small', 'lower', true],
      ['demo-large', 'higher', true],
    ]);
    expect(catalogueWith({}).models).toEqual([]);
  });

  it('offers a model as soon as one of its providers is on', () => {
    const { models, findModel } = catalogueWith({ openrouter: on });
    expect(models.map(({ id }) => id)).toContain('gpt-4o-mini');
    expect(models.map(({ id }) => id)).not.toContain('gpt-4');
    expect(findModel('gpt-4o-mini')?.targets.map(({ providerId }) => providerId)).toEqual(['openrouter']);
  });

  it('gives price, limits and every target in the order of the price list', () => {
    const model = catalogueWith({ openrouter: on, openai: on }).findModel('gpt-4o-mini');
    expect(model).toMatchObject({
      id: 'gpt-4o-mini',
      tier: 'lower',
      millicreditsPerToken: 1,
      maxOutputTokens: 16_384,
      isDemo: false,
    });
    expect(model?.targets).toMatchObject([
      { kind: 'http', providerId: 'openai', baseUrl: 'https://api.openai.com/v1', upstreamModel: 'gpt-4o-mini' },
      { kind: 'http', providerId: 'openrouter', upstreamModel: 'openai/gpt-4o-mini' },
    ]);
  });

  it('leaves one provider to a name that pins it, by our name of the model or by the provider’s', () => {
    const { findModel } = catalogueWith({ openai: on, groq: on, openrouter: on });
    for (const name of ['groq/llama-3.3-70b', 'groq/llama-3.3-70b-versatile']) {
      expect(findModel(name)).toMatchObject({ id: 'llama-3.3-70b', targets: [{ providerId: 'groq' }] });
    }
    expect(findModel('openai/gpt-4o-mini')?.targets.map(({ providerId }) => providerId)).toEqual(['openai']);
  });

  it.each([
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5', 'anthropic'],
    ['claude-sonnet-4.5', 'claude-sonnet-4-5', 'anthropic'],
    ['google/gemini-2.5-flash', 'gemini-2.5-flash', 'gemini'],
    ['x-ai/grok-4', 'grok-4', 'xai'],
    ['meta-llama/llama-3.3-70b-instruct', 'llama-3.3-70b', 'groq'],
    ['openai/gpt-oss-120b', 'gpt-oss-120b', 'groq'],
  ])('finds %s, as OpenRouter spells it', (name, id, providerId) => {
    const { findModel, models } = catalogueWith({ anthropic: on, gemini: on, xai: on, groq: on });
    expect(findModel(name)).toMatchObject({ id, targets: [{ providerId }] });
    expect(models.map((model) => model.id)).not.toContain(name);
  });

  it('asks no other provider than the one that a foreign spelling names', () => {
    expect(catalogueWith({ openrouter: on }).findModel('openai/gpt-4o')).toBeNull();
    expect(catalogueWith({ openai: on }).findModel('anthropic/claude-sonnet-4.5')).toBeNull();
  });

  it.each([
    ['gpt-4o-2024-05-13', 'higher', 4_096],
    ['gpt-4o-mini-2024-07-18', 'lower', 16_384],
    ['chatgpt-4o-latest', 'higher', 16_384],
    ['gpt-4-turbo', 'higher', 4_096],
    ['o1', 'higher', 100_000],
    ['o3-mini', 'higher', 100_000],
    ['gpt-5-2025-08-07', 'higher', 128_000],
  ])('sells %s by its own name, which is what OpenAI is asked for', (name, tier, maxOutputTokens) => {
    const model = catalogueWith({ openai: on }).findModel(name);
    expect(model).toMatchObject({ id: name, tier, maxOutputTokens, targets: [{ upstreamModel: name }] });
  });

  it.each([
    'gpt-9',
    'openai/gpt-9',
    'groq/gpt-4o-mini',
    'openai/',
    '/gpt-4o-mini',
    'GPT-4o-mini',
    '__proto__',
    'constructor',
    '',
  ])('knows no model %j, so it is refused and never free', (name) => {
    expect(catalogueWith({ openai: on }).findModel(name)).toBeNull();
  });

  it('moves a provider to the address of the settings', () => {
    const openai = { ...on, baseUrl: 'http://127.0.0.1:9/v1' };
    expect(catalogueWith({ openai }).findModel('gpt-4')?.targets).toMatchObject([{ baseUrl: 'http://127.0.0.1:9/v1' }]);
  });

  it('turns Ollama on by its address alone, and the others only by a key', () => {
    const moved: ProviderSettings = { apiKey: null, baseUrl: 'http://127.0.0.1:11434/v1' };
    const { models } = catalogueWith({ ollama: moved, openai: moved });
    expect(new Set(models.flatMap(({ targets }) => targets.map(({ providerId }) => providerId)))).toEqual(
      new Set(['ollama']),
    );
  });
});

describe('the price list', () => {
  const providerIds = new Set(['demo', ...providerCatalogue.map(({ id }) => id)]);

  it('routes only to providers that exist, and to each upstream model once', () => {
    const routes = priceList.flatMap((model) => model.routes);
    expect(routes.filter((route) => !providerIds.has(route.split('/')[0] ?? ''))).toEqual([]);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('names each model once, and none of them like a pin', () => {
    const ids = priceList.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.includes('/'))).toEqual([]);
  });

  it('has for every foreign spelling a model of its own, and no spelling that is one', () => {
    const own = new Set(
      priceList.flatMap(({ id, routes }) => [id, ...routes.map((route) => `${route.split('/')[0]}/${id}`)]),
    );
    expect(Object.values(modelAliases).filter((name) => !own.has(name))).toEqual([]);
    expect(Object.keys(modelAliases).filter((name) => own.has(name))).toEqual([]);
  });

  it('keeps the tiers that the product promises', () => {
    const tierOf = Object.fromEntries(priceList.map(({ id, tier }) => [id, tier]));
    expect(tierOf).toMatchObject({
      'demo-small': 'lower',
      'demo-large': 'higher',
      'gpt-4o-mini': 'lower',
      'gpt-3.5-turbo': 'lower',
      'gpt-4o': 'higher',
      'gpt-4': 'higher',
    });
  });

  it('has a use for every provider of the catalogue', () => {
    const used = new Set(priceList.flatMap((model) => model.routes.map((route) => route.split('/')[0])));
    // What these two serve, only their operator knows, and says in tollgate.yaml.
    expect([...providerIds].filter((id) => !used.has(id))).toEqual(['azure', 'vllm']);
  });

  it('leaves half of the context to the prompt of a call without a cap', () => {
    expect(priceList.filter((model) => 2 * model.maxOutputTokens > model.contextTokens)).toEqual([]);
  });
});
