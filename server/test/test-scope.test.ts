import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';

interface ScopeRow {
  readonly what: string;
  readonly scope: 'usual' | 'all' | 'load' | 'cluster';
  readonly suites: readonly string[];
}

interface ScopeTable {
  readonly scopeRows: readonly ScopeRow[];
  rowOf(file: string): ScopeRow;
  listFilesOutside(scope: ScopeRow['scope']): readonly string[];
  runsOnMysql(file: string, scope: ScopeRow['scope']): boolean;
  describeWhatIsOutside(scope: ScopeRow['scope']): readonly string[];
  splitFiles(scope: ScopeRow['scope']): { readonly together: readonly string[]; readonly alone: readonly string[] };
}

const root = findRepositoryRoot(import.meta.dirname);
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, file)).href)) as T;
const { scopeRows, rowOf, listFilesOutside, runsOnMysql, describeWhatIsOutside, splitFiles } =
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
    expect([...listFilesOutside('all')].sort()).toEqual(['e2e/cluster/cluster.test.ts', 'e2e/load/streams.test.ts']);
  });

  it('runs each file of a scope once: side by side, or one by one afterwards, which no suite of the usual run needs', () => {
    for (const scope of ['usual', 'all', 'load'] as const) {
      const { together, alone } = splitFiles(scope);
      expect([...together, ...alone, ...listFilesOutside(scope)].sort()).toEqual([...files].sort());
    }
    expect(splitFiles('usual').alone).toEqual([]);
    expect(splitFiles('all').alone).toContain('e2e/crash/crash.test.ts');
  });

  it('tells what a run leaves out, with the command that runs it', () => {
    expect(describeWhatIsOutside('usual').filter((line) => !/; npm run test:(all|load|cluster)$/.test(line))).toEqual(
      [],
    );
    expect(describeWhatIsOutside('all')).toEqual([
      expect.stringMatching(/1 suite\(s\); npm run test:load$/),
      expect.stringMatching(/1 suite\(s\); npm run test:cluster$/),
    ]);
  });
});
