import { parseMarkdown } from './markdown';

describe('parseMarkdown', () => {
  it('reads what models write', () => {
    expect(
      parseMarkdown('# Tolls\n\nA **toll** is `money`.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n> so'),
    ).toEqual([
      { kind: 'heading', level: 1, inlines: [{ kind: 'text', text: 'Tolls' }] },
      {
        kind: 'paragraph',
        inlines: [
          { kind: 'text', text: 'A ' },
          { kind: 'strong', text: 'toll' },
          { kind: 'text', text: ' is ' },
          { kind: 'code', text: 'money' },
          { kind: 'text', text: '.' },
        ],
      },
      {
        kind: 'list',
        isOrdered: false,
        start: 1,
        items: [[{ kind: 'text', text: 'one' }], [{ kind: 'text', text: 'two' }]],
      },
      { kind: 'code', language: 'ts', code: 'const a = 1;' },
      { kind: 'quote', inlines: [{ kind: 'text', text: 'so' }] },
    ]);
  });

  it('leads nowhere but to http and https, and takes HTML for text', () => {
    const text = '[a](javascript:alert(1)) [b](data:text/html,x) <img src=x onerror=alert(1)>';
    expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', inlines: [{ kind: 'text', text }] }]);
    expect(parseMarkdown('[c](https://example.com/a)')).toEqual([
      { kind: 'paragraph', inlines: [{ kind: 'link', text: 'c', href: 'https://example.com/a' }] },
    ]);
  });

  it('reads an answer as far as it has come, letter by letter, and loses nothing of its code', () => {
    const whole = '1. Run\n\n~~~sh\nnpm start # `go`\n';
    for (let length = 0; length <= whole.length; length += 1)
      expect(() => parseMarkdown(whole.slice(0, length))).not.toThrow();
    expect(parseMarkdown(whole).at(-1)).toEqual({ kind: 'code', language: 'sh', code: 'npm start # `go`\n' });
  });

  it('comes to an end on whatever is thought of to keep it busy', () => {
    for (const piece of ['*', '`', '[', '[a](', '**a', '> ', '- ', '```', '# ', '-- ']) {
      expect(parseMarkdown(piece.repeat(20_000)).length).toBeGreaterThan(0);
    }
  });

  // A pattern that goes back over what it has read would take minutes for each of these lines.
  it('reads a line of any form without going back over it, so that no answer stops the page', () => {
    const lengthOfGap = 300_000;
    for (const gap of [' ', '#', ' #', '\t', '0']) {
      const filled = gap.repeat(lengthOfGap / gap.length);
      for (const start of ['# a', '- a', '1. a', '> a', '---', '`', '```', '**a', '[a](https://a', '  a', '']) {
        for (const end of ['', 'b', '\u2028b', 'b\u2028c']) expect(parseMarkdown(start + filled + end)).toBeDefined();
      }
    }
  });

  it('leaves out the marks that close a heading, and none that belong to its words', () => {
    const titles = ['# Tolls', '# Tolls ##  ', '# Why C#', '# a # b #', '# ##', '#  a\u2028b '].map(
      (line) => parseMarkdown(line)[0],
    );
    expect(titles.map((title) => title?.kind === 'heading' && title.inlines.map(({ text }) => text).join(''))).toEqual([
      ...['Tolls', 'Tolls', 'Why C#', 'a # b', '', 'a\u2028b'],
    ]);
  });
});
