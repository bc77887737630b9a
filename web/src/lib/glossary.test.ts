import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** The words that `docs/glossary.md` keeps out, from the last column of its table. */
function listRefusedWords(): readonly string[] {
  const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line))
    .slice(1);
  return rows.flatMap((row) => (row.split('|').at(-2) ?? '').split(',').map((word) => word.trim()));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** What a person reads: texts between tags, and what stands in attributes and strings that begin like a sentence. */
function listTexts(source: string): readonly string[] {
  const text = withoutComments(source);
  const attributes = /(?:label|title|description|placeholder|header|words|free|limited)[=:]\s*["'`]([^"'`]+)/g;
  const between = />\s*([A-Z][^<>{}=]+)</g;
  return [...text.matchAll(attributes), ...text.matchAll(between)].map(([, found = '']) => found);
}

describe('the glossary', () => {
  const folder = join(root, 'web/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));

  it('finds the texts of a page', () => {
    const source = '<TextInput label="Present password" /> /* in all */ <p>\n  Calls in all\n</p>';
    expect(listTexts(source)).toEqual(['Present password', 'Calls in all\n']);
  });

  it('has its phrases kept out of every sentence that is put together as well', () => {
    const phrases = listRefusedWords().filter((word) => word.includes(' '));
    expect(phrases).toContain('times a minute');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.startsWith('gql'),
    );
    const found = sources.flatMap((file) => {
      const source = withoutComments(readFileSync(join(folder, file), 'utf8'));
      return phrases.filter((phrase) => source.toLowerCase().includes(phrase)).map((phrase) => `${file}: ${phrase}`);
    });
    expect(found).toEqual([]);
  });

  it('is kept by every text of the dashboard', () => {
    const refused = listRefusedWords();
    expect(refused).toContain('present password');
    const found = files.flatMap((file) =>
      listTexts(readFileSync(join(folder, file), 'utf8')).flatMap((text) =>
        refused
          .filter((word) => new RegExp(`\\b${word.replace(/[^\w ]/g, '\\$&')}\\b`, 'i').test(text))
          .map((word) => `${file}: "${word}" in "${text.trim().slice(0, 60)}"`),
      ),
    );
    expect(files.length).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });
});
