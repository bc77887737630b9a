import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDashboard, compileAll, compileServer, generateWebTypes } from './build.mjs';
import { npmProgram, projectRoot, runStep, secondsSince, stopAllSteps, stopStepsOnSignal } from './run-step.mjs';
import { placeSqliteDriver, prepareSqliteDriver } from './sqlite-driver.mjs';

/*
 * Brings a clone from whatever state to where it can serve, or be tested. What is current is left alone: a file named
 * `.tollgate-…` beside each result holds the hash of what it was made from, so a change of branch and back costs nothing, and behind
 * it a hash of sizes and times, by which most starts are done.
 */

/** @typedef {'serve' | 'test'} Purpose `test` adds what tests, checks and benches need */

// A native module fits one version of Node's binary interface, so another Node.js means a new installation.
const runtime = `${process.platform}-${process.arch}-${process.versions.modules}`;
const installStampFile = join(projectRoot, 'node_modules', '.tollgate-installed');
const npmOptions = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * @typedef {object} Side what is built in one go
 * @property {string} title
 * @property {readonly string[]} sources files and folders
 * @property {RegExp} notSources
 * @property {string} result a file that the build writes
 * @property {readonly SideName[]} makes whose results are the newer ones afterwards
 * @property {readonly SideName[]} removes whose results are gone or old then
 * @property {(options: import('./build.mjs').BuildOptions) => Promise<void>} build
 *
 * @typedef {'server' | 'tests' | 'dashboard' | 'types'} SideName
 */

const everySide = ['package-lock.json', 'tsconfig.json'];

/** @type {Readonly<Record<SideName, Side>>} */
const sides = {
  server: {
    title: 'the server',
    sources: ['server', 'ormconfig.ts', 'tsconfig.serve.json', ...everySide],
    notSources: /\.test\.ts$|^server\/test\//,
    result: 'server/main.js',
    makes: ['server'],
    removes: ['tests'],
    build: compileServer,
  },
  tests: {
    title: 'the server and its tests',
    sources: ['server', 'ormconfig.ts', 'tsconfig.serve.json', 'e2e', 'bench', ...everySide],
    notSources: /^bench\/results\//,
    result: 'server/main.js',
    makes: ['tests', 'server'],
    removes: [],
    build: compileAll,
  },
  dashboard: {
    title: 'the dashboard',
    sources: ['web', ...everySide],
    notSources: /^web\/src\/gql\//,
    result: 'web/index.html',
    makes: ['dashboard'],
    removes: [],
    build: buildDashboard,
  },
  types: {
    title: 'the types of the dashboard',
    sources: ['web/src', 'schema.graphql', 'scripts/generate-web-types.mjs', ...everySide],
    notSources: /^web\/src\/gql\//,
    result: '../web/src/gql/graphql.ts',
    makes: ['types'],
    removes: [],
    build: generateWebTypes,
  },
};

/**
 * Installs and builds what the purpose needs. Does nothing when all is current.
 * @param {Purpose} [purpose]
 * @throws {import('./run-step.mjs').StepFailedError}
 */
export async function installAndBuild(purpose = 'serve') {
  await installIfNeeded(purpose, (options) => buildIfNeeded(purpose, options));
}

/**
 * Installs what the purpose needs, unless it is in place.
 * @param {Purpose} purpose
 * @param {(options: import('./build.mjs').BuildOptions) => Promise<void>} [then] is done once the packages are there, while SQLite
 *   may still be compiled, by one processor from beginning to end: everything waits for that in the end, so this gives way to it
 * @throws {import('./run-step.mjs').StepFailedError}
 */
export async function installIfNeeded(purpose, then = async () => {}) {
  const stamp = hashOf([`${runtime}\n`, readFileSync(join(projectRoot, 'package-lock.json'))]);
  const installed = readStamp(installStampFile);
  if (installed === `test ${stamp}` || installed === `${purpose} ${stamp}`) return then({});
  const sqliteDriver = prepareSqliteDriver();
  // Awaited below; a failure must not end the program before that.
  sqliteDriver.catch(() => {});
  try {
    // What is there for serving is kept, and the rest is added.
    await installPackages(purpose, installed === `serve ${stamp}`);
    await Promise.all([then({ givesWay: true }), placeWhenMade(sqliteDriver)]);
  } catch (error) {
    await stopAllSteps();
    throw error;
  }
  writeFileSync(installStampFile, `${purpose} ${stamp}`);
}

/** @param {Purpose} purpose @param {boolean} isAddition */
async function installPackages(purpose, isAddition) {
  console.log(`Installing the packages that ${purpose === 'test' ? 'tests need' : 'building and serving need'} …`);
  const startedMs = performance.now();
  const workspaces = purpose === 'test' ? [] : ['--workspace=web', '--include-workspace-root'];
  const command = isAddition ? ['install', '--no-save'] : ['ci', ...workspaces];
  rmSync(installStampFile, { force: true });
  await runStep({ title: `npm ${command[0]}`, command: [...npmProgram(), ...command, ...npmOptions] });
  console.log(`Installed in ${secondsSince(startedMs)}.`);
}

/** @param {Promise<void>} sqliteDriver */
async function placeWhenMade(sqliteDriver) {
  const timer = setTimeout(() => console.log('Compiling SQLite for this machine (once) …'), 5_000);
  await sqliteDriver.finally(() => clearTimeout(timer));
  await placeSqliteDriver();
}

/** Builds each side whose sources are not those that its result was made from. @param {Purpose} purpose @param {import('./build.mjs').BuildOptions} options */
async function buildIfNeeded(purpose, options) {
  /** @type {readonly SideName[]} */
  const names = purpose === 'test' ? ['tests', 'types', 'dashboard'] : ['server', 'dashboard'];
  const outcomes = await Promise.allSettled(names.map((name) => buildSideIfNeeded(name, options)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** @param {SideName} name @param {import('./build.mjs').BuildOptions} options */
async function buildSideIfNeeded(name, options) {
  const { title, result, makes, removes, build } = sides[name];
  const files = listSources(name);
  const [madeFrom, madeOf] = existsSync(join(projectRoot, 'dist', result)) ? readSideStamp(name) : [];
  // Reading all of them takes a tenth of a second, which every start would pay for.
  if (madeOf === marksOf(files)) return;
  if (madeFrom === contentsOf(files)) return writeSideStamp(name);
  const startedMs = performance.now();
  console.log(`Building ${title} …`);
  for (const side of [...makes, ...removes]) rmSync(stampFileOf(side), { force: true });
  await build(options);
  for (const side of makes) writeSideStamp(side);
  console.log(`Built ${title} in ${secondsSince(startedMs)}.`);
}

/** The parts of `dist/` that were made from other sources than those that lie here, in words. @returns {string[]} */
export function listOldSides() {
  const old = (/** @type {SideName} */ name) => {
    const [madeFrom, madeOf] = readSideStamp(name);
    const files = listSources(name);
    return madeOf !== marksOf(files) && madeFrom !== contentsOf(files);
  };
  return /** @type {const} */ (['server', 'dashboard']).filter(old).map((name) => sides[name].title);
}

/** @param {SideName} name */
function stampFileOf(name) {
  return join(projectRoot, 'dist', `.tollgate-${name}`);
}

/** @param {SideName} name @returns {string[]} the hash of the sources, and their marks */
function readSideStamp(name) {
  return readStamp(stampFileOf(name))?.split('\n') ?? [];
}

/** @param {SideName} name */
function writeSideStamp(name) {
  mkdirSync(join(projectRoot, 'dist'), { recursive: true });
  const files = listSources(name);
  writeFileSync(stampFileOf(name), `${contentsOf(files)}\n${marksOf(files)}`);
}

/** @param {readonly string[]} files */
function contentsOf(files) {
  return hashOf(files.flatMap((file) => [`${file}\n`, readFileSync(join(projectRoot, file))]));
}

/** Changes with every file that is written, renamed or removed, whatever time it claims to be of. @param {readonly string[]} files */
function marksOf(files) {
  return hashOf(
    files.map((file) => {
      const { size, ctimeMs, mtimeMs, ino } = statSync(join(projectRoot, file));
      return `${file} ${size} ${ctimeMs} ${mtimeMs} ${ino}\n`;
    }),
  );
}

/** @param {SideName} name */
function listSources(name) {
  const { sources, notSources } = sides[name];
  return sources
    .flatMap(listFiles)
    .filter((file) => !notSources.test(file))
    .sort();
}

/** @param {string} source @returns {string[]} with forward slashes; what is installed in between is left out */
function listFiles(source) {
  if (statSync(join(projectRoot, source)).isFile()) return [source];
  return readdirSync(join(projectRoot, source), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [`${source}/${entry.name}`];
    return entry.isDirectory() && entry.name !== 'node_modules' ? listFiles(`${source}/${entry.name}`) : [];
  });
}

/** @param {readonly (string | Buffer)[]} parts */
function hashOf(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** @param {string} file */
function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  stopStepsOnSignal();
  await installAndBuild();
}
