import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'),
);

/** JSX drops the end of a line: a word on the line behind an element of a sentence, or before it, stands against its words. */
const glued = [
  /<\/(?:Anchor|Link|Code|code|strong|b|em|span)>\n\s+[\p{L}\d(][^\n]*/gu,
  /\/>\n\s+\p{Ll}[\p{L} ,]+\.?\n/gu,
];

describe('a sentence with a link or code in it', () => {
  it('has a space on both sides of it, also where a line of the source ends there', () => {
    const found = pages.flatMap((name) => {
      const text = readFileSync(join(root, name), 'utf8');
      return glued.flatMap((pattern) => [...text.matchAll(pattern)].map(([words]) => `${name}: ${words}`));
    });
    expect(pages.length).toBeGreaterThan(200);
    expect(found).toEqual([]);
  });
});
