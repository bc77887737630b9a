import { chooseSnippetModel, environmentSnippet, quickstartSnippets } from './quickstart-snippets';

describe('quickstartSnippets', () => {
  const facts = { baseUrl: 'http://localhost:8080/api/proxy.php', secret: 'sk-tg-abc', model: 'demo-small' };

  it('puts secret, base URL and model into every language', () => {
    const snippets = quickstartSnippets(facts);
    expect(snippets.map((snippet) => snippet.language)).toEqual(['curl', 'Python', 'Node']);
    for (const { code } of snippets) {
      for (const fact of Object.values(facts)) expect(code).toContain(fact);
    }
  });

  it('gives SDKs the base URL only, and curl the whole path', () => {
    const [curl, python, node] = quickstartSnippets(facts);
    expect(curl?.code).toContain('/api/proxy.php/chat/completions');
    expect(python?.code).not.toContain('/chat/completions');
    expect(node?.code).not.toContain('/chat/completions');
  });

  it('has no line that is wider than the box on the page for everybody', () => {
    for (const { code } of quickstartSnippets({ ...facts, secret: 'YOUR_KEY' })) {
      for (const line of code.split('\n')) expect(line.length).toBeLessThanOrEqual(75);
    }
  });

  it('sends a body that is JSON', () => {
    const body = /-d '(.*)'/s.exec(quickstartSnippets(facts)[0]?.code ?? '')?.[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({ model: 'demo-small', messages: [{ role: 'user' }] });
  });
});

describe('environmentSnippet', () => {
  it('is two lines for a .env file', () => {
    expect(environmentSnippet('http://h/api/proxy.php', 'sk')).toBe(
      'OPENAI_BASE_URL=http://h/api/proxy.php\nOPENAI_API_KEY=sk',
    );
  });
});

describe('chooseSnippetModel', () => {
  const model = (id: string, tier: string, isDemo = false) => ({ id, tier, isDemo });

  it('prefers the small demo, then any demo, then the lower tier', () => {
    expect(chooseSnippetModel([model('demo-large', 'higher', true), model('demo-small', 'lower', true)])).toBe(
      'demo-small',
    );
    expect(chooseSnippetModel([model('gpt-4o', 'higher'), model('demo-x', 'lower', true)])).toBe('demo-x');
    expect(chooseSnippetModel([model('gpt-4o', 'higher'), model('gpt-4o-mini', 'lower')])).toBe('gpt-4o-mini');
    expect(chooseSnippetModel([model('gpt-4o', 'higher')])).toBe('gpt-4o');
    expect(chooseSnippetModel([])).toBeNull();
  });
});
