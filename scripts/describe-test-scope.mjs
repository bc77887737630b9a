import { listTestFiles } from './test-files.mjs';
import { includes, rowOf, scopeRows } from './test-scope.mjs';
import { knowsMysql, listFilesOffMysql, listFilesOffSqlite, listFilesOfOtherRuns } from './test-turns.mjs';

/** @typedef {import('./test-scope.mjs').Scope} Scope */

/**
 * What a run of this scope leaves out, each as one line with the command that runs it; empty when that is nothing.
 * @param {Scope} scope @param {number | null} [turn] as for `runsOnMysql` @returns {string[]}
 */
export function describeWhatIsOutside(scope, turn = null) {
  const files = listTestFiles();
  const outside = scopeRows
    .map((row) => ({ row, count: files.filter((file) => rowOf(file) === row).length }))
    .filter(({ row }) => !includes(scope, row.scope))
    .map(({ row, count }) => `${row.what}: ${count} suite(s); ${commandOf(row.scope)}`);
  const looksLeft = turn === null ? 'three' : 'four';
  const allLooks = `each page in the other ${looksLeft} of its six looks; SCREENSHOTS=/a/folder npm test -- every-page`;
  if (scope === 'load' || scope === 'cluster') return outside;
  const halves = listFilesOffMysql(scope, turn).filter(knowsMysql);
  if (scope === 'all') return [...outside, ...(turn === null ? [] : describeTurns(turn)), allLooks];
  return [
    ...outside,
    `the MariaDB half of suites that move no money: ${halves.length} suite(s); ${commandOf('all')}`,
    `each page in the other looks and accounts; ${commandOf('all')}`,
    `long fuzz, and every case of what a sample stands for; ${commandOf('all')}`,
  ];
}

/** The line for long suites that a usual run leaves to others. @param {readonly string[]} files */
export function describeLongSuitesOutside(files) {
  return `long suites that no change is near, whose turn it is in another run: ${files.length} suite(s); ${commandOf('all')}`;
}

/** What a run with an end to its time leaves to the next ones. @param {number} turn */
function describeTurns(turn) {
  const [onSqlite, onMysql] = [listFilesOffMysql('all', turn).filter(knowsMysql), listFilesOffSqlite('all', turn)];
  return [
    `the MariaDB half of suites whose turn it is on SQLite: ${onSqlite.length} suite(s); ${commandOf('all')}`,
    `the SQLite half of suites whose turn it is on MariaDB: ${onMysql.length} suite(s); ${commandOf('all')}`,
    `journeys, and long suites that prove no books, whose turn it is in another run: ${listFilesOfOtherRuns(turn).length} suite(s); ${commandOf('all')}`,
    `each page in accounts whose turn it is in another run; ${commandOf('all')}`,
  ];
}

/** @param {Scope} scope */
function commandOf(scope) {
  return scope === 'load' || scope === 'cluster' ? `npm run test:${scope}` : 'npm run test:all';
}
