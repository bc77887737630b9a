import { clientGuides } from './client-guides';

const facts = { baseUrl: 'https://h.example/api/proxy.php', secret: 'sk-tg-abc', model: 'demo-small' };

describe('clientGuides', () => {
  const guides = clientGuides(facts);

  it('leads every client that people use here', () => {
    expect(guides.map(({ name }) => name)).toEqual([
      'curl',
      'Python',
      'Node',
      'AI SDK',
      'LangChain',
      'Open WebUI',
      'Cursor',
      'Continue',
      'Others',
    ]);
  });

  it.each(guides.map((guide) => [guide.name, guide] as const))('tells %s the address and the key', (_name, guide) => {
    const code = guide.blocks.map((block) => block.code).join('\n');
    expect(code).toContain(facts.baseUrl);
    expect(code).toContain(facts.secret);
  });

  it('gives nobody but curl the path of the endpoint', () => {
    const withPath = guides.filter(({ blocks }) => blocks.some(({ code }) => code.includes('/chat/completions')));
    expect(withPath.map(({ name }) => name)).toEqual(['curl']);
  });
});
