import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);
const page = readFileSync(join(root, 'docs/faults.md'), 'utf8');

interface Row {
  readonly fault: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const rows: readonly Row[] = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault or attack |'))
  .map((line) => ({
    fault: line.split(' | ')[0]?.slice(2) ?? '',
    tests: [...line.matchAll(/`([^`]+\.test\.tsx?)` › “([^”]+)”/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    })),
  }));

describe('docs/faults.md', () => {
  it('is read at all', () => expect(rows.length).toBeGreaterThan(50));

  it('names a test for each fault', () => {
    expect(rows.filter(({ tests }) => tests.length === 0).map(({ fault }) => fault)).toEqual([]);
  });

  it('names only tests that exist, by the words of their titles', () => {
    const missing = rows.flatMap(({ tests }) => tests.filter(({ file, title }) => !hasTest(file, title)));
    expect(missing).toEqual([]);
  });
});

// A title may be written over several lines or with escaped quotes; what counts is that its words stand in the file.
function hasTest(file: string, title: string): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title);
}
