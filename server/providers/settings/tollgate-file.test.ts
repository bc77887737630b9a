import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidConfigError, loadConfig } from '../../config/config.js';
import { findRepositoryRoot } from '../../test/architecture/source-tree.js';
import { buildCatalogue } from '../model-catalogue.js';
import type { HttpTarget } from '../provider-adapter.js';
import { readTollgateFile } from './tollgate-file.js';

const environment = { OPENAI_API_KEY: 'sk-canary-0123456789', GATEWAY_KEY: 'gateway-canary' };
const load = (text: string, variables: Record<string, string> = environment) =>
  loadConfig(variables, (path) => (path === 'tollgate.yaml' ? text : null));
const catalogueOf = (text: string, variables?: Record<string, string>) => buildCatalogue(load(text, variables));
const faultsOf = (text: string): readonly string[] => readTollgateFile(text, environment).faults;

// As the product's documents show it: braces within braces.
const asDocumented = `
tiers: { lower: 1, higher: 2 }            # millicredits per token
providers:
  openai:   { adapter: openai, baseUrl: https://api.openai.com/v1, apiKey: \${OPENAI_API_KEY} }
  my-vllm:  { adapter: openai, baseUrl: http://10.0.0.7:8000/v1 }   # no key: \${NOT_SET}
models:
  gpt-4o-mini: { tier: lower, maxOutputTokens: 16384, routes: [openai/gpt-4o-mini, my-vllm/gpt-4o-mini] }
`;

describe('tollgate.yaml', () => {
  it('names providers and models of an operator’s own, beside the built-in ones', () => {
    const { findModel, models, providers } = catalogueOf(asDocumented);
    expect(models[0]?.id).toBe('gpt-4o-mini');
    expect(models.filter(({ id }) => id === 'gpt-4o-mini')).toHaveLength(1);
    expect(models.map(({ id }) => id)).toContain('gpt-4o');
    expect(findModel('gpt-4o-mini')?.targets).toMatchObject([
      { providerId: 'openai', baseUrl: 'https://api.openai.com/v1', upstreamModel: 'gpt-4o-mini' },
      { providerId: 'my-vllm', baseUrl: 'http://10.0.0.7:8000/v1', apiKey: null },
    ]);
    expect(findModel('my-vllm/gpt-4o-mini')).toMatchObject({ isPinned: true, targets: [{ providerId: 'my-vllm' }] });
    const [first] = (findModel('gpt-4o-mini')?.targets ?? []) as readonly HttpTarget[];
    expect(first?.apiKey?.reveal()).toBe(environment.OPENAI_API_KEY);
    expect(providers.map(({ id, name }) => [id, name])).toContainEqual(['openai', 'OpenAI']);
  });

  it('speaks the common dialect to `adapter: openai`, and OpenAI’s own to OpenAI', () => {
    const { findModel } = catalogueOf(asDocumented);
    const bodies = findModel('gpt-4o-mini')?.targets.map((target) => {
      const { adapter } = target as HttpTarget;
      const messages = [{ role: 'developer', content: 'Be brief' }] as const;
      return JSON.parse(JSON.stringify(adapter.buildRequest({ model: 'm', messages }, target as HttpTarget).body))
        .messages[0].role;
    });
    expect(bodies).toEqual(['developer', 'system']);
  });

  it('leaves what it does not say of a built-in model as it is', () => {
    const { findModel } = catalogueOf('models: { gpt-4o: { tier: lower, routes: [openai/gpt-4o] } }');
    expect(findModel('gpt-4o')).toMatchObject({
      millicreditsPerToken: 1,
      maxOutputTokens: 16_384,
      contextTokens: 128_000,
      imageTokensMax: { low: 110, high: 1_760 },
    });
  });

  it('offers nothing built-in when told so, and prices of its own', () => {
    const { models } = catalogueOf(
      'builtInModels: false\ntiers: { gold: 7 }\nmodels: { m: { tier: gold, maxOutputTokens: 10, routes: [openai/m] } }',
    );
    expect(models.map(({ id, millicreditsPerToken }) => [id, millicreditsPerToken])).toEqual([['m', 7]]);
    const { findModel } = catalogueOf('tiers: { higher: 3 }');
    expect(findModel('gpt-4o')?.millicreditsPerToken).toBe(3);
  });

  it('names models of embeddings, which write nothing and are answered by who makes embeddings alone', () => {
    const { findModel } = catalogueOf(
      'models: { v: { tier: lower, embedding: { dimensionsMax: 64 }, routes: [anthropic/v, openai/v] } }',
      { ...environment, ANTHROPIC_API_KEY: 'sk-ant-x' },
    );
    expect(findModel('v')).toMatchObject({
      ...{ embedding: { dimensionsMax: 64 }, maxOutputTokens: 0, targets: [{ providerId: 'openai' }] },
      capabilities: { vision: false, tools: false, jsonSchema: false, reasoning: false },
    });
    const { findModel: find } = catalogueOf('models: { text-embedding-3-small: { tier: higher, routes: [openai/x] } }');
    expect(find('text-embedding-3-small')).toMatchObject({
      millicreditsPerToken: 2,
      embedding: { dimensionsMax: 1_536 },
    });
  });

  it('says which of its models nobody answers', () => {
    const text = 'models: { m: { tier: lower, maxOutputTokens: 10, routes: [groq/m] } }';
    expect(catalogueOf(text).unansweredModels).toEqual(['m']);
    expect(catalogueOf(text, { GROQ_API_KEY: 'gsk_x' }).unansweredModels).toEqual([]);
  });

  it('changes a dialect by data', () => {
    const { findModel } = catalogueOf(`
providers:
  acme: { baseUrl: https://acme.example/api/, apiKey: k, dialect: { path: /chat, keyHeader: x-key, keyScheme: '', staticHeaders: { x-team: blue }, droppedParams: [seed], renamedParams: { stop: stop_words }, roles: { system: instructions } } }
models: { m: { tier: lower, maxOutputTokens: 10, routes: [acme/m] } }`);
    const target = findModel('m')?.targets[0] as HttpTarget;
    const messages = [{ role: 'system', content: 'x' }] as const;
    const request = { model: 'm', messages, seed: 1, stop: ['a'], verbosity: 'low' } as const;
    const { url, headers, body } = target.adapter.buildRequest(request, target);
    expect(url).toBe('https://acme.example/api/chat');
    expect(headers).toMatchObject({ 'x-key': 'k', 'x-team': 'blue' });
    expect(headers).not.toHaveProperty('authorization');
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      model: 'm',
      messages: [{ role: 'instructions', content: 'x' }],
      stop_words: ['a'],
      verbosity: 'low',
    });
  });

  it('tells every fault at once, with its path and the remedy, together with those of the environment', () => {
    const text = `
tiers: { Gold: 1 }
`;
    const broken = `
providers:
  acme: { adapter: nothing, baseUrl: ftp://x, apiKey: \${NOT_SET} }
  beta: { adapter: openai }
  demo: { baseUrl: http://x }
models:
  a: { tier: lowr, maxOutputTokens: 10, routes: [acme/m] }
  b: { tier: lower, routes: [acme/m] }
  c: { tier: lower, maxOutputTokens: 10, routes: [nobody/m, openai] }
  d: { tier: lower, maxOutputTokens: 10, routes: [openai/m], colour: red }
  e: { maxOutputTokens: 0, routes: [] }
  f: { tier: lower, maxOutputTokens: 20, contextTokens: 10, routes: [nobody/m] }
`;
    expect(faultsOf(broken)).toEqual([
      `providers.acme.apiKey: the environment has no NOT_SET; set it, or take \${NOT_SET} out`,
      expect.stringMatching(/^providers\.acme\.baseUrl: must be an http\(s\) address/),
      'providers.beta.baseUrl: is missing; say where this provider listens',
      'providers.demo: this name is taken by the embedded provider; choose another',
      'models.a.tier: there is no such tier; use one of lower, higher, or add it to tiers',
      'models.b.maxOutputTokens: is missing; say how many tokens an answer may have',
      expect.stringMatching(/^models\.c\.routes\.1: /),
      'models.d: nothing here is called colour; take it out, or see docs/providers.md',
      expect.stringMatching(/^models\.e\.tier: /),
      expect.stringMatching(/^models\.e\.maxOutputTokens: /),
      expect.stringMatching(/^models\.e\.routes: /),
      'models.f.maxOutputTokens: is more than contextTokens, which counts prompt and answer together',
      expect.stringMatching(/^models\.f\.routes\.0: there is no such provider; name one of demo, openai, /),
    ]);
    expect(faultsOf(text)).toEqual([expect.stringMatching(/^tiers\.Gold: the name must be lower-case/)]);
    for (const fault of [{ PORT: '99999999' }, { DATABASE_URL: 'postgres://x' }]) {
      const [name = ''] = Object.keys(fault);
      expect(() => load('tiers: { lower: 0 }', fault)).toThrow(InvalidConfigError);
      expect(() => load('tiers: { lower: 0 }', fault)).toThrow(
        new RegExp(
          `2 fault.*${name}.*tollgate\\.yaml: tiers\\.lower|2 fault.*tollgate\\.yaml: tiers\\.lower.*${name}`,
          's',
        ),
      );
    }
  });

  it('takes what routes cost in dollars for a million tokens, exact to six decimals, and refuses a route that no model has', () => {
    const costs = `
costs:
  openai/gpt-4o-mini: { input: 0.15, output: 0.6 }
  openai/text-embedding-3-small: { input: 0.000001 }
`;
    expect(readTollgateFile(costs, {}).file?.costs).toEqual({
      'openai/gpt-4o-mini': { input: 150_000, output: 600_000 },
      'openai/text-embedding-3-small': { input: 1, output: 0 },
    });
    const broken = `
costs:
  openai/gpt-4o-mni: { input: 0.15 }
  openai/gpt-4o: { input: 0.0000001 }
  openai/o1: { input: -1 }
  gpt-4o: { input: 1 }
`;
    expect(faultsOf(broken)).toEqual([
      expect.stringMatching(/^costs\.openai\/gpt-4o\.input: must have at most six decimals/),
      expect.stringMatching(/^costs\.openai\/o1\.input: /),
      expect.stringMatching(/^costs\.gpt-4o: the name must be provider\/model/),
    ]);
    expect(faultsOf('costs: { openai/gpt-4o-mni: { input: 0.15 } }')).toEqual([
      'costs.openai/gpt-4o-mni: no model is answered there; name a route of a model, such as openai/gpt-4o-mini',
    ]);
  });

  it('quotes nothing of the file in a fault, least of all a key', () => {
    for (const text of [
      'providers: { a: { apiKey: sk-canary-1 ',
      'providers: sk-canary-1',
      'sk-canary-1: { sk-canary-1',
      'providers: { a: { baseUrl: "http://sk-canary-1@x", apiKey: 5 } }',
    ]) {
      const faults = faultsOf(text);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.join()).not.toContain('canary');
    }
  });

  it.each([
    ['providers: *nobody'],
    ['a: &a [*a, *a]'],
    ['models: {a: 1, a: 2}'],
    ['- 1'],
    ['just text'],
    ['{'],
    ['tiers: { lower: 1.5 }'],
  ])('refuses %j with a fault, not with a crash', (text) => expect(faultsOf(text).length).toBeGreaterThan(0));

  it.each([
    ['an alias bomb', `a0: &a0 [x, x, x, x, x, x, x, x, x]\n${aliasBomb(1)}`],
    ['a hundred thousand levels', `tiers: ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a hundred thousand levels of braces', `tiers: ${'{a: '.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a hundred thousand lines that are no YAML', '}\n'.repeat(100_000)],
    ['more than half a megabyte', `# ${'x'.repeat(600_000)}`],
  ])('refuses %s with few words, and at once', (_, text) => {
    const faults = faultsOf(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(20);
    expect(faults.join().length).toBeLessThan(2_000);
  });

  it('refuses the one name that copies of objects leave out, wherever it stands, and passes over nothing in silence', () => {
    const places = [
      'models: { __proto__: { tier: lower, routes: [openai/gpt-4o] } }',
      'providers: { __proto__: { adapter: openai, baseUrl: https://ai.example/v1 } }',
      'tiers: { __proto__: 1 }',
      'costs: { __proto__: { input: 1 } }',
    ];
    for (const text of places) {
      expect([text, faultsOf(text)]).toEqual([text, [expect.stringMatching(/__proto__: must have another name$/)]]);
    }
  });

  it('cannot be changed in its structure by a variable', () => {
    const apiKey = 'x } , evil: { baseUrl: "http://evil" ';
    const text = `providers: { acme: { baseUrl: http://x, apiKey: \${KEY} } }`;
    const { file } = readTollgateFile(text, { KEY: apiKey });
    expect(file?.providers.map((provider) => [provider.id, provider.apiKey?.reveal()])).toEqual([['acme', apiKey]]);
  });

  it('may be absent by its default name, and must be there when it is named', () => {
    expect(loadConfig({}, () => null).tollgateFile).toBeNull();
    expect(() => loadConfig({ TOLLGATE_CONFIG: 'mine.yaml' }, () => null)).toThrow(/mine\.yaml cannot be read/);
  });

  it('of the example loads', () => {
    const example = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'tollgate.example.yaml'), 'utf8');
    const { findModel } = catalogueOf(example);
    expect(findModel('house-model')).toMatchObject({
      tier: 'premium',
      millicreditsPerToken: 5,
      capabilities: { vision: true },
    });
    expect(findModel('gpt-4o-mini')?.targets.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 8_192]);
  });
});

// Each level names the one before nine times: nine to the power of ten values.
function aliasBomb(level: number): string {
  if (level > 10) return `tiers: *a${level - 1}`;
  return `a${level}: &a${level} [${Array(9)
    .fill(`*a${level - 1}`)
    .join(', ')}]\n${aliasBomb(level + 1)}`;
}
