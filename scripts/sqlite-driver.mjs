import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmProgram, projectRoot, runStep } from './run-step.mjs';

/*
 * The one package with code for the processor. Where its maker's build cannot be downloaded it is compiled, which takes
 * longer than all else; so that begins first, in a folder of its own, while npm installs the other packages. What was
 * compiled is kept there for the next installation.
 */

/** The version for Node.js 20; from 22 on another is used, which brings its builds along (`server/database/sqlite-driver.ts`). */
const driver = Number(process.versions.node.split('.')[0]) < 22 ? 'better-sqlite3' : 'better-sqlite3-newer';
const addon = join('node_modules', driver, 'build', 'Release', 'better_sqlite3.node');
const folder = join('.build', 'sqlite');

// A first start waits for this one file of SQLite: 39 s at -O2 with all that it can have. At -O1
// and without searching for words and places, which nothing here asks for, it is 14 s, and a write costs 6 % more processor time.
const unused = ['FTS3', 'FTS3_PARENTHESIS', 'FTS4', 'FTS5', 'GEOPOLY', 'RTREE', 'DBSTAT_VTAB', 'PERCENTILE'];
const quickFlags = ['-O1', ...unused.map((name) => `-USQLITE_ENABLE_${name}`)].join(' ');

/** @typedef {{ version: string, dependencies?: Record<string, string> }} LockedPackage */

/**
 * Makes or fetches the driver's code for this Node.js, unless an earlier call did.
 * @throws {import('./run-step.mjs').StepFailedError}
 */
export async function prepareSqliteDriver() {
  if (driver !== 'better-sqlite3') return;
  const lockfile = JSON.stringify(lockOf(driver), null, 2);
  const stamp = `${process.platform} ${process.arch} ${process.versions.modules}\n${lockfile}`;
  const stampFile = join(projectRoot, folder, 'stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  rmSync(join(projectRoot, folder), { recursive: true, force: true });
  mkdirSync(join(projectRoot, folder), { recursive: true });
  const { packages, ...rest } = JSON.parse(lockfile);
  const manifest = { ...rest, ...packages[''], private: true, allowScripts: { [driver]: true } };
  writeFileSync(join(projectRoot, folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(projectRoot, folder, 'package-lock.json'), lockfile);
  await runStep({
    title: `npm ci in ${folder}`,
    command: [...npmProgram(), 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'],
    env: { JOBS: 'max', CFLAGS: process.env.CFLAGS ?? quickFlags },
    isQuiet: true,
  });
  writeFileSync(stampFile, stamp);
}

/**
 * Lays what `prepareSqliteDriver` made where the server finds it, and sees that it opens a database.
 * @throws {import('./run-step.mjs').StepFailedError} when it does not, even after a build in its place
 */
export async function placeSqliteDriver() {
  const made = join(projectRoot, folder, addon);
  if (existsSync(made)) cpSync(made, join(projectRoot, addon));
  if (opensDatabase()) return;
  // A system that the maker has no build for.
  await runStep({ title: `npm rebuild ${driver}`, command: [...npmProgram(), 'rebuild', driver], isQuiet: true });
}

function opensDatabase() {
  const program = `new (require(${JSON.stringify(driver)}))(':memory:').close()`;
  return spawnSync(process.execPath, ['-e', program], { cwd: projectRoot, stdio: 'ignore' }).status === 0;
}

/** The part of the lockfile that one package needs. @param {string} name */
function lockOf(name) {
  /** @type {{ lockfileVersion: number, packages: Record<string, LockedPackage> }} */
  const { lockfileVersion, packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  /** @type {Record<string, object>} */
  const needed = { '': { dependencies: { [name]: packages[`node_modules/${name}`]?.version } } };
  const visit = (/** @type {string} */ path) => {
    const entry = packages[path];
    if (entry === undefined || path in needed) return;
    needed[path] = entry;
    for (const dependency of Object.keys(entry.dependencies ?? {})) {
      const own = `${path}/node_modules/${dependency}`;
      visit(own in packages ? own : `node_modules/${dependency}`);
    }
  };
  visit(`node_modules/${name}`);
  return { name: 'tollgate-sqlite', version: '0.0.0', lockfileVersion, requires: true, packages: needed };
}
