import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);

/** How many requirements each section of ASVS 5.0.0 has at level 1 and 2; those of level 3 follow behind them. */
const requirementsOf: Readonly<Record<string, number>> = {
  ...{ '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1 },
};

interface Row {
  readonly numbers: readonly string[];
  readonly standing: string;
  readonly where: string;
}

describe('The page on ASVS', () => {
  const rows = readFileSync(join(root, 'docs/asvs.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line): Row => {
      const [, numbers = '', , standing = '', where = ''] = line.split('|').map((cell) => cell.trim());
      return { numbers: listNumbers(numbers), standing, where };
    });

  it('has each requirement of level 1 and 2 of the three chapters once, in their order, and no other number', () => {
    const all = Object.entries(requirementsOf).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    expect(rows.flatMap(({ numbers }) => numbers)).toEqual(all);
  });

  it('names a test for what is met, a page where documentation is asked for, or why there is no test; and files that are there', () => {
    for (const { numbers, standing, where } of rows) {
      expect([numbers, standing]).toEqual([numbers, expect.stringMatching(/^(met|in part|not met|does not apply)$/)]);
      const files = [...where.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, file]) => String(file));
      expect([numbers, files.filter((file) => !existsSync(join(root, file)))]).toEqual([numbers, []]);
      if (standing !== 'met') continue;
      const isOfPages = numbers.every((number) => /^\d\.1\./.test(number));
      const isShown = isOfPages
        ? files.length > 0 || where.includes('`docs/')
        : /\.test\.ts|No test:|tested at|the same test|^as \d/.test(where);
      expect([numbers, where, isShown]).toEqual([numbers, where, true]);
    }
  });
});

// `6.2.1`, `6.2.2, 6.2.3` and `6.6.1 – 6.6.3`.
function listNumbers(cell: string): string[] {
  const [first = '', last = ''] = cell.split(' – ');
  if (last === '') return cell.split(', ');
  const section = first.slice(0, first.lastIndexOf('.'));
  const [from, to] = [first, last].map((number) => Number(number.split('.').at(-1)));
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${section}.${Number(from) + index}`);
}
