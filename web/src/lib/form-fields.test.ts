import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.tsx') && !name.includes('.test.') && !name.startsWith('gallery'),
);
const field = /<(?:TextInput|PasswordInput|Textarea|NumberField)\b/g;

/** The tag that begins here; braces may hold a `>` of their own. */
function readTag(source: string, start: number): string {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    else if (source[at] === '}') depth -= 1;
    else if (source[at] === '>' && depth === 0) return source.slice(start, at + 1);
  }
  throw new Error('A tag has no end.');
}

describe('Every field of a form', () => {
  it('has a name, by which browsers and password managers know what they have filled in there before', () => {
    let fields = 0;
    for (const file of files) {
      const source = readFileSync(join(folder, file), 'utf8');
      if (!source.includes('<form')) continue;
      for (const { index } of source.matchAll(field)) {
        fields += 1;
        expect([file, readTag(source, index)]).toEqual([file, expect.stringMatching(/\bname=/)]);
      }
    }
    expect(fields).toBeGreaterThanOrEqual(35);
  });

  it('is, for a number, the one that shows what it reports: the library’s own takes a comma for a point', () => {
    const others = files.filter((file) =>
      /\bNumberInput\b|type="number"/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(others).toEqual([]);
  });
});
