import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EnvFileError } from './read-env-file.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/** Read before anything is waited for: npm may be told to stop while a start is under way. */
const parentId = process.ppid;

/** What is needed to run is not there, in words for whoever started it. */
class NotReadyError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'NotReadyError';
  }
}

/**
 * Brings this folder to where the server can run: a clone is installed and built. In production nothing is installed and nothing
 * is compiled, so that a start needs no network, no compiler and no right to write here, and takes no longer than it must; nor is
 * it where no sources lie, as in an image or a package.
 * @throws {NotReadyError} naming the command that is missing
 * @throws {StepFailedError} when installing or building fails
 */
export async function makeReady() {
  const hasSources = existsSync(join(projectRoot, 'tsconfig.serve.json'));
  if (process.env.NODE_ENV !== 'production' && hasSources) {
    const { installAndBuild } = await import('./prepare.mjs');
    const releaseSignals = stopStepsOnSignal();
    await installAndBuild();
    releaseSignals();
    return;
  }
  await assertBuilt(hasSources);
  assertInstalled();
}

/** @param {boolean} hasSources */
async function assertBuilt(hasSources) {
  if (!existsSync(join(projectRoot, 'dist', 'server', 'main.js'))) {
    throw new NotReadyError('Nothing is built here, and production compiles nothing. Run: npm run build');
  }
  if (!hasSources) return;
  const { listOldSides } = await import('./prepare.mjs');
  const old = listOldSides();
  if (old.length > 0) {
    throw new NotReadyError(
      `dist/ was made from other sources than lie here (${old.join(', ')}), and production compiles nothing. Run: npm run build`,
    );
  }
}

function assertInstalled() {
  try {
    module.createRequire(join(projectRoot, 'package.json')).resolve('express');
  } catch {
    throw new NotReadyError('The packages are not installed. Run: npm ci --omit=dev');
  }
}

/**
 * Runs a compiled program of the server in this very process.
 * @param {string} name the file, seen from `dist/server/`, without its ending
 */
export async function runBuilt(name) {
  // From Node.js 22 on, the next start need not compile what this one loads.
  const { enableCompileCache } = /** @type {{ enableCompileCache?: (folder: string) => unknown }} */ (
    /** @type {unknown} */ (module)
  );
  if (name === 'main') enableCompileCache?.(join(projectRoot, '.build', 'compile-cache'));
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(join(projectRoot, 'dist', 'server', `${name}.js`)).href);
}

/**
 * Has this process stop, as by SIGTERM, once the one that started it is gone. For starts by npm and npx: they hand SIGTERM to the
 * shell between them and us, and that shell dies without passing it on.
 */
export function stopWithParent() {
  const timer = setInterval(() => {
    if (process.ppid === parentId) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

const forbidden = ['EACCES', 'EPERM', 'EROFS'];

// Installing and building write here; what was built by another user runs without.
/** @param {unknown} error */
function explainForbidden(error) {
  const { code = '', path = projectRoot } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  if (!forbidden.includes(code)) return null;
  return `This user may not write to ${path} (${code}). Run "npm run build" as the user to whom this folder belongs, and start with NODE_ENV=production, which writes nothing here.`;
}

/** Says what a start failed by, if it is for whoever started it. @param {unknown} error @param {number} exitCode @returns {never} */
export function failToStart(error, exitCode) {
  const isTold = [StepFailedError, NotReadyError, EnvFileError].some((known) => error instanceof known);
  console.error(isTold ? /** @type {Error} */ (error).message : (explainForbidden(error) ?? error));
  process.exit(exitCode);
}
