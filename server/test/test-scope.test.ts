import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';

interface ScopeRow {
  readonly what: string;
  readonly scope: 'usual' | 'all' | 'load';
  readonly suites: readonly string[];
}

interface ScopeTable {
  readonly scopeRows: readonly ScopeRow[];
  rowOf(file: string): ScopeRow;
  listFilesOutside(scope: ScopeRow['scope']): readonly string[];
  runsOnMysql(file: string, scope: ScopeRow['scope']): boolean;
  describeWhatIsOutside(scope: ScopeRow['scope']): readonly string[];
}

const root = findRepositoryRoot(import.meta.dirname);
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, file)).href)) as T;
const { scopeRows, rowOf, listFilesOutside, runsOnMysql, describeWhatIsOutside } =
  await load<ScopeTable>('scripts/test-scope.mjs');
const { listTestFiles } = await load<{ listTestFiles(): readonly string[] }>('scripts/test-files.mjs');
const files = listTestFiles();
const beginnings = scopeRows.flatMap(({ suites }) => suites);

describe('the table of what runs when', () => {
  it('has one row for every test file', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(() => files.map(rowOf)).not.toThrow();
  });

  it('names no file or folder twice', () => {
    expect(beginnings.filter((beginning, index) => beginnings.indexOf(beginning) !== index)).toEqual([]);
  });

  it('names nothing that is gone, and nothing that other rows take whole', () => {
    const longestOf = (file: string) =>
      beginnings.filter((beginning) => file.startsWith(beginning)).sort((a, b) => b.length - a.length)[0];
    const used = new Set(files.map(longestOf));
    expect(beginnings.filter((beginning) => !used.has(beginning))).toEqual([]);
  });

  it('leaves no suite without a test where it leaves MariaDB out', () => {
    const onMysqlAlone = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return (
        text.includes('describeOnMysql(') && !text.includes('describeOnEachDatabase(') && !/^describe\(/m.test(text)
      );
    });
    const run = onMysqlAlone.filter((file) => !listFilesOutside('usual').includes(file));
    expect(run.filter((file) => !runsOnMysql(file, 'usual'))).toEqual([]);
  });

  it('runs the money suites on both databases at every change, and everything in the long run', () => {
    expect(runsOnMysql('server/ledger/ledger.test.ts', 'usual')).toBe(true);
    expect(runsOnMysql('server/usage/call-reader.test.ts', 'usual')).toBe(false);
    expect(files.filter((file) => !runsOnMysql(file, 'all'))).toEqual([]);
    expect(listFilesOutside('all')).toEqual(['e2e/load/streams.test.ts']);
  });

  it('tells what a run leaves out, with the command that runs it', () => {
    expect(describeWhatIsOutside('usual').filter((line) => !/; npm run test:(all|load)$/.test(line))).toEqual([]);
    expect(describeWhatIsOutside('all')).toEqual([expect.stringMatching(/1 suite\(s\); npm run test:load$/)]);
  });
});
