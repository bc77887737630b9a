import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longSuites } from './long-suites.mjs';
import { projectRoot } from './run-step.mjs';
import { listTestFiles } from './test-files.mjs';
import { includes, rowOf } from './test-scope.mjs';

/*
 * On which databases a suite runs, by its row in `test-scope.mjs`. In a run with an end to its time, such as CI, suites take turns: a
 * number that the run draws says which are on which database, and every other number gives others.
 */

/** @typedef {import('./test-scope.mjs').Scope} Scope */

/**
 * Whether the suites of a file run on MariaDB or MySQL as well, where one is found.
 * @param {string} file
 * @param {Scope} scope
 * @param {number | null} [turn] of a run with an end to its time, such as CI: a third of the rows with `takesTurns` is there in
 *   one run, and which third this number says; null: all are
 */
export function runsOnMysql(file, scope, turn = null) {
  const { usualDatabases, takesTurns } = rowOf(file);
  if (scope === 'usual') return usualDatabases === 'each';
  return turn === null || takesTurns !== true || isTurnOf(file, turn);
}

/** @param {string} file @param {number} turn @param {number} [oneIn] */
function isTurnOf(file, turn, oneIn = 3) {
  return [...file].reduce((sum, letter) => sum + letter.charCodeAt(0), turn) % oneIn === 0;
}

/**
 * Test files whose MariaDB half a run of this scope leaves out. What only the long run includes is in a usual run because it was
 * named, and then runs as in the long one: some of it has no other half.
 * @param {Scope} scope @param {number | null} [turn] as for `runsOnMysql` @param {boolean} [hasSecondServer] whether there is another
 *   pass on MySQL, which has the half of those whose turn it is there
 */
export function listFilesOffMysql(scope, turn = null, hasSecondServer = false) {
  const isElsewhere = (/** @type {string} */ file) => hasSecondServer && isOnSecondServerAlone(file, turn);
  return listTestFiles().filter(
    (file) => includes(scope, rowOf(file).scope) && (!runsOnMysql(file, scope, turn) || isElsewhere(file)),
  );
}

/** Whether the turn of a suite that shares the servers is on the second one. @param {string} file @param {number | null} turn */
function isOnSecondServerAlone(file, turn) {
  return turn !== null && rowOf(file).sharesServers === true && knowsMysql(file) && isTurnOf(file, turn, 2);
}

/** Test files that the first pass leaves out whole: they have nothing but a server's half, whose turn is on the second. @param {number | null} turn */
export function listFilesOfSecondServerAlone(turn) {
  return listTestFiles().filter((file) => isOnSecondServerAlone(file, turn) && hasServerHalfAlone(file));
}

/** @param {string} file */
function hasServerHalfAlone(file) {
  return !/\bdescribeOnEachDatabase\(|^describe\b/m.test(read(file));
}

/** Test files whose SQLite half a run of this scope leaves out, since their turn is on MariaDB. @param {Scope} scope @param {number | null} turn */
export function listFilesOffSqlite(scope, turn) {
  if (scope !== 'all' || turn === null) return [];
  const isInTurn = (/** @type {string} */ file) => rowOf(file).takesTurns && isTurnOf(file, turn);
  return listTestFiles().filter((file) => isInTurn(file) && /\bdescribeOnEachDatabase\(/.test(read(file)));
}

/**
 * Test files that a run on one more server runs again, on that server alone: those that have something on a server and stand in
 * a row that runs on one at every change.
 * @param {number | null} [turn] of those that share the servers, only the ones whose turn it is there; null: all
 */
export function listFilesForSecondServer(turn = null) {
  const isThere = (/** @type {string} */ file) =>
    turn === null || rowOf(file).sharesServers !== true || isOnSecondServerAlone(file, turn);
  return listTestFiles().filter((file) => rowOf(file).usualDatabases === 'each' && knowsMysql(file) && isThere(file));
}

/** Test files that share runs with others and whose turn is in another one. @param {number | null} turn null: none @returns {string[]} */
export function listFilesOfOtherRuns(turn) {
  if (turn === null) return [];
  // By their places, so that each run has as many.
  const sharing = listTestFiles().map((file) => ({ file, oneIn: countSharedRuns(file) }));
  return sharing.filter(({ oneIn }) => oneIn > 1).flatMap(({ file, oneIn }, at) => ((at + turn) % oneIn ? [file] : []));
}

/** @param {string} file */
function countSharedRuns(file) {
  const { sharesRuns = 1, sharesLongRuns = 1 } = rowOf(file);
  return longSuites.includes(file) ? Math.max(sharesRuns, sharesLongRuns) : sharesRuns;
}

/** Of the long suites, a run of `npm test` that nothing has changed before runs one in so many. */
const longSuitesOneIn = 20;

/**
 * Long suites that a run of `npm test` leaves to others. @param {number} drawn by the run @param {readonly string[]} near what the
 * change can break first, which is never left out @returns {string[]}
 */
export function listLongSuitesOfOtherRuns(drawn, near) {
  return longSuites.filter((file) => !near.includes(file) && !isTurnOf(file, drawn, longSuitesOneIn));
}

/** Whether a suite has something for MariaDB or MySQL. @param {string} file */
export function knowsMysql(file) {
  return /\b(describeOnEachDatabase|describeOnMysql|describeOnOwnMysql)\(/.test(read(file));
}

/** What was read: the same files are asked for many times. @type {Map<string, string>} */
const texts = new Map();

/** @param {string} file */
function read(file) {
  const text = texts.get(file) ?? readFileSync(join(projectRoot, file), 'utf8');
  texts.set(file, text);
  return text;
}
