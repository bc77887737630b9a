import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';

interface ScopeRow {
  readonly what: string;
  readonly scope: 'usual' | 'all' | 'load' | 'cluster';
  readonly usualDatabases: 'each' | 'sqlite';
  readonly sharesLongRuns?: number;
  readonly suites: readonly string[];
}

interface ScopeTable {
  readonly scopeRows: readonly ScopeRow[];
  readonly waitingLong: readonly string[];
  rowOf(file: string): ScopeRow;
  listFilesOutside(scope: ScopeRow['scope']): readonly string[];
  hasSecondRun(file: string): boolean;
  splitFiles(scope: ScopeRow['scope']): Readonly<Record<'together' | 'late' | 'alone', readonly string[]>>;
}

interface Turns {
  runsOnMysql(file: string, scope: ScopeRow['scope'], turn?: number): boolean;
  listFilesOffMysql(scope: ScopeRow['scope'], turn?: number, hasSecondServer?: boolean): string[];
  listFilesForSecondServer(turn?: number): string[];
  listFilesOfSecondServerAlone(turn: number): string[];
  listFilesOffSqlite(scope: ScopeRow['scope'], turn: number | null): string[];
  listFilesOfOtherRuns(turn: number | null): string[];
  listLongSuitesOfOtherRuns(drawn: number, near: readonly string[]): string[];
}

interface Sequence {
  mixEvenly(some: readonly string[], more: readonly string[]): string[];
}

interface ScopeWords {
  describeWhatIsOutside(scope: ScopeRow['scope'], turn?: number): readonly string[];
}

const root = findRepositoryRoot(import.meta.dirname);
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, file)).href)) as T;
const table = await load<ScopeTable>('scripts/test-scope.mjs');
const { mixEvenly } = await load<Sequence>('scripts/jest-sequencer.mjs');
const { scopeRows, waitingLong, rowOf, listFilesOutside, hasSecondRun, splitFiles } = table;
const turns = await load<Turns>('scripts/test-turns.mjs');
const { runsOnMysql, listFilesOffMysql, listFilesOffSqlite } = turns;
const { listFilesForSecondServer, listFilesOfSecondServerAlone } = turns;
const { describeWhatIsOutside } = await load<ScopeWords>('scripts/describe-test-scope.mjs');
const { longSuites } = await load<{ longSuites: readonly string[] }>('scripts/long-suites.mjs');
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
    expect(waitingLong.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('begins suites that mostly wait between journeys, which keep processors busy, each kind in its order', () => {
    expect(mixEvenly(['a', 'b', 'c', 'd'], ['1', '2'])).toEqual(['a', '1', 'b', 'c', '2', 'd']);
    expect([mixEvenly([], ['1', '2']), mixEvenly(['a', 'b'], [])]).toEqual([
      ['1', '2'],
      ['a', 'b'],
    ]);
  });

  it('has long suites that are there, once each, and part of the usual run', () => {
    expect(longSuites.filter((file) => !files.includes(file) || rowOf(file).scope !== 'usual')).toEqual([]);
    expect(longSuites).toEqual([...new Set(longSuites)].sort());
  });

  it('runs each long suite in one of twenty usual runs, and in each run what is near a change', () => {
    const runs = Array.from({ length: 20 }, (_, run) => {
      const left = new Set(turns.listLongSuitesOfOtherRuns(run, []));
      return longSuites.filter((file) => !left.has(file));
    });
    expect(runs.flat().sort()).toEqual([...longSuites]);
    expect(Math.min(...runs.map(({ length }) => length))).toBeGreaterThan(longSuites.length / 60);
    for (const run of runs.keys()) expect(turns.listLongSuitesOfOtherRuns(run, longSuites)).toEqual([]);
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

  it('runs what only the long run has on both databases when a usual run names it: some of it has nothing on SQLite', () => {
    const off = listFilesOffMysql('usual');
    expect(off).toContain('server/usage/requests/call-reader.test.ts');
    const outside = new Set(listFilesOutside('usual'));
    expect(off.filter((file) => outside.has(file))).toEqual([]);
  });

  it('runs the money suites on both databases at every change, and everything in the long run', () => {
    expect(runsOnMysql('server/ledger/ledger.test.ts', 'usual')).toBe(true);
    expect(runsOnMysql('server/usage/requests/call-reader.test.ts', 'usual')).toBe(false);
    expect(files.filter((file) => !runsOnMysql(file, 'all'))).toEqual([]);
    expect([...listFilesOutside('all')].sort()).toEqual(['e2e/cluster/cluster.test.ts', 'e2e/load/streams.test.ts']);
  });

  it('has a suite on MariaDB in one of three runs of CI where it takes turns, and in each where it moves money, migrates or is killed', () => {
    const runsOf = (file: string) => [7, 8, 9].filter((turn) => runsOnMysql(file, 'all', turn)).length;
    const taking = files.filter((file) => runsOf(file) < 3);
    expect(taking.map(runsOf).filter((runs) => runs !== 1)).toEqual([]);
    expect(taking.length).toBeGreaterThan(50);
    expect(taking.filter((file) => runsOnMysql(file, 'usual') || file.startsWith('e2e/crash/'))).toEqual([]);
    expect(describeWhatIsOutside('all', 7).filter((line) => /turn .*; npm run test:all$/.test(line))).toHaveLength(4);
  });

  it('has each journey that shares runs in one of three runs of CI, and all of them where a run has no end to its time', () => {
    const isJourney = (file: string) => file.startsWith('e2e/');
    const leftOut = [7, 8, 9].map((turn) => turns.listFilesOfOtherRuns(turn).filter(isJourney));
    const inTwo = [...new Set(leftOut.flat())];
    expect(leftOut.flat().sort()).toEqual([...inTwo, ...inTwo].sort());
    const runEach = leftOut.map((files) => inTwo.length - files.length);
    expect(Math.min(...runEach)).toBeGreaterThan(5);
    expect(inTwo.filter((file) => !/^e2e\/(journeys|support)\//.test(file))).toEqual([]);
    expect(turns.listFilesOfOtherRuns(null)).toEqual([]);
  });

  it('has half of the long suites of the server in a run of CI and the others in the next, and each run all that prove the books', () => {
    const isOfServer = (file: string) => file.startsWith('server/');
    const [even, odd] = [7, 8].map((turn) => turns.listFilesOfOtherRuns(turn).filter(isOfServer)) as [
      string[],
      string[],
    ];
    const sharing = [...even, ...odd].sort();
    expect(sharing).toEqual(longSuites.filter((file) => rowOf(file).sharesLongRuns === 2));
    expect(Math.abs(even.length - odd.length)).toBeLessThan(2);
    expect(sharing.filter((file) => rowOf(file).usualDatabases === 'each' || !hasSecondRun(file))).toEqual([]);
  });

  it('has a suite that takes turns on one of both databases in CI, never on neither, and all others on both', () => {
    for (const turn of [7, 8, 9]) {
      const [offMysql, offSqlite] = [listFilesOffMysql('all', turn), listFilesOffSqlite('all', turn)];
      expect(offSqlite.filter((file) => offMysql.includes(file))).toEqual([]);
      expect(offSqlite.filter((file) => runsOnMysql(file, 'usual'))).toEqual([]);
      expect(offSqlite.length).toBeGreaterThan(15);
    }
    expect([listFilesOffSqlite('all', null), listFilesOffSqlite('usual', 7)]).toEqual([[], []]);
  });

  it('has the server half of a suite that shares MariaDB and MySQL on one of them in CI, on the other in the next run, never on neither', () => {
    const all = listFilesForSecondServer();
    const [even, odd] = [7, 8].map((turn) => {
      const [onMysql, offMariadb] = [listFilesForSecondServer(turn), listFilesOffMysql('all', turn, true)];
      const takingTurns = listFilesOffMysql('all', turn);
      const shared = offMariadb.filter((file) => !takingTurns.includes(file));
      expect(onMysql).toEqual(expect.arrayContaining(shared));
      expect(shared).toEqual(expect.arrayContaining(listFilesOfSecondServerAlone(turn)));
      return { onMysql, shared };
    }) as [{ onMysql: string[]; shared: string[] }, { onMysql: string[]; shared: string[] }];
    expect(even.shared.filter((file) => odd.shared.includes(file))).toEqual([]);
    expect([...new Set([...even.onMysql, ...odd.onMysql])].sort()).toEqual([...all].sort());
    const onBoth = even.onMysql.filter((file) => odd.onMysql.includes(file));
    expect(onBoth.filter((file) => file.startsWith('server/database/')).length).toBeGreaterThan(10);
    expect([...even.shared, ...odd.shared, ...onBoth].sort()).toEqual([...all].sort());
  });

  it('gives no second run to what moves money, migrates, kills or upgrades', () => {
    const again = files.filter(hasSecondRun);
    expect(again).toContain('e2e/journeys/keys.journey.test.ts');
    const proving = /^(server\/(alerts|database|idempotency|ledger|purchases)|e2e\/(crash|shutdown|upgrade))\//;
    expect(again.filter((file) => proving.test(file))).toEqual([]);
    const both = again.filter((file) => runsOnMysql(file, 'usual')).map((file) => rowOf(file).what);
    expect([...new Set(both)]).toEqual(['keys, limits and members']);
  });

  it('runs each file of a scope once: side by side, or one by one afterwards, which no suite of the usual run needs', () => {
    for (const scope of ['usual', 'all', 'load'] as const) {
      const { together, late, alone } = splitFiles(scope);
      expect([...together, ...late, ...alone, ...listFilesOutside(scope)].sort()).toEqual([...files].sort());
    }
    expect(splitFiles('usual')).toMatchObject({ late: [], alone: [] });
    expect(splitFiles('all').alone).toContain('e2e/crash/crash.test.ts');
  });

  it('tells what a run leaves out, with the command that runs it', () => {
    expect(describeWhatIsOutside('usual').filter((line) => !/; npm run test:(all|load|cluster)$/.test(line))).toEqual(
      [],
    );
    expect(describeWhatIsOutside('all')).toEqual([
      expect.stringMatching(/1 suite\(s\); npm run test:load$/),
      expect.stringMatching(/1 suite\(s\); npm run test:cluster$/),
      expect.stringMatching(/^each page in the other three .*; SCREENSHOTS=.* npm test -- every-page$/),
    ]);
    expect(describeWhatIsOutside('all', 7)).toContainEqual(
      expect.stringMatching(/^each page in the other four of its six/),
    );
  });
});
