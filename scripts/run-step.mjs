import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds `package.json`. */
export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program that ended badly. What it had to say is on the screen already. */
export class StepFailedError extends Error {
  /** @param {string} title @param {number} exitCode */
  constructor(title, exitCode) {
    super(`${title} failed (exit code ${exitCode}).`);
    this.name = 'StepFailedError';
    this.exitCode = exitCode;
  }
}

const killGraceMs = 5_000;
const isWindows = process.platform === 'win32';
/** @type {Set<RunningStep>} */
const running = new Set();
let isStopping = false;
/** @type {Promise<never>} */
const never = new Promise(() => {});

/**
 * @typedef {object} Step
 * @property {string} title names the step when it fails
 * @property {readonly string[]} command the program and its arguments
 * @property {string} [folder] where it runs, seen from the project's folder
 * @property {NodeJS.ProcessEnv} [env] added to the environment
 * @property {boolean} [givesWay] leaves the processor to other steps that are under way
 * @property {boolean} [isQuiet] shows the program's words only when it fails
 * @property {(message: any) => void} [onMessage] is given what the program, a Node.js one, says by `process.send`
 *
 * @typedef {object} RunningStep
 * @property {Promise<number>} exitCode of the program once it has ended; 1 when a signal ended it
 * @property {() => string} words what a quiet program said
 * @property {() => Promise<void>} stop ends it and what it started: politely first, by force after five seconds
 */

/**
 * Runs one program until it ends.
 * @param {Step} step
 * @returns {Promise<void>}
 * @throws {StepFailedError} when it ends with anything but 0; once `stopAllSteps` was called, it never comes back
 */
export async function runStep(step) {
  const started = startStep(step);
  const exitCode = await started.exitCode;
  if (exitCode === 0) return;
  process.stderr.write(started.words());
  throw new StepFailedError(step.title, exitCode);
}

/**
 * Starts one program and leaves it to the caller to wait for it. Once `stopAllSteps` was called, nothing starts.
 * @param {Step} step
 * @returns {RunningStep}
 */
export function startStep({ command, folder = '.', env = {}, givesWay = false, isQuiet = false, onMessage }) {
  if (isStopping) return { exitCode: never, words: () => '', stop: async () => {} };
  const [program = '', ...args] = command;
  const output = isQuiet ? 'pipe' : 'inherit';
  const child = spawn(program, args, {
    cwd: join(projectRoot, folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output, ...(onMessage ? [/** @type {const} */ ('ipc')] : [])],
    // A group of its own, so that stopping it reaches what the program started in its turn. Windows has no groups.
    detached: !isWindows,
    // Windows runs a script such as npm.cmd by its shell only.
    shell: isWindows && program.endsWith('.cmd'),
  });
  if (givesWay) lowerPriority(child);
  /** @type {Buffer[]} */
  const words = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => words.push(chunk));
  if (onMessage) child.on('message', onMessage);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => running.delete(step));
  const step = {
    // Whoever waits must not go on to the next step while everything is being stopped.
    exitCode: ended.then((code) => (isStopping ? never : code)),
    words: () => Buffer.concat(words).toString(),
    stop: () => stopGroup(child, ended),
  };
  running.add(step);
  return step;
}

/** Ends every program that still runs, and what those started: politely first, by force after five seconds. */
export async function stopAllSteps() {
  isStopping = true;
  await Promise.all([...running].map((step) => step.stop()));
}

/**
 * Runs a whole script in the project's folder; a signal ends what it has started, and a step that failed ends it with one line.
 * @param {() => Promise<void>} work
 */
export async function runScript(work) {
  process.chdir(projectRoot);
  stopStepsOnSignal();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StepFailedError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * Makes Ctrl-C, a polite kill and the end of the terminal end the running programs before this one.
 * @param {() => void} [beforeExit] has the last word
 * @returns {() => void} gives the signals back
 */
export function stopStepsOnSignal(beforeExit = () => {}) {
  const onSignal = (/** @type {number} */ exitCode) => () =>
    stopAllSteps().finally(() => {
      beforeExit();
      process.exit(exitCode);
    });
  const onInterrupt = onSignal(130);
  const onTerminate = onSignal(143);
  const onHangUp = onSignal(129);
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate).once('SIGHUP', onHangUp);
  return () => process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangUp);
}

/** @param {import('node:child_process').ChildProcess} child @param {Promise<number>} ended */
async function stopGroup(child, ended) {
  signalGroup(child, 'SIGTERM');
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const graceOver = new Promise((resolve) => {
    timer = setTimeout(resolve, killGraceMs);
  });
  await Promise.race([ended.catch(() => 1), graceOver]);
  clearTimeout(timer);
  // The program may be gone, and what it started may not.
  signalGroup(child, 'SIGKILL');
}

/** @param {import('node:child_process').ChildProcess} child */
function lowerPriority(child) {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The program has ended, or the system forbids it: then it is only slower.
  }
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  if (isWindows) {
    // There are no signals; this ends the program with all that it started.
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}

/**
 * The command that runs a program of an installed package with this very Node.js, on every operating system.
 * @param {string} packageName
 * @param {string} [binName]
 */
export function packageProgram(packageName, binName = packageName) {
  const manifestFile = join(projectRoot, 'node_modules', packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifestFile, 'utf8'));
  return [process.execPath, join(dirname(manifestFile), typeof bin === 'string' ? bin : bin[binName])];
}

/** The npm that runs this script, or the one beside this Node.js, or the one of PATH. */
export function npmProgram() {
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const script of [process.env.npm_execpath, isWindows ? beside : undefined])
    if (script?.endsWith('npm-cli.js') && existsSync(script)) return [process.execPath, script];
  return [isWindows ? 'npm.cmd' : 'npm'];
}

/** A duration for people: `61 s`, `3.4 s`. @param {number} startedMs from `performance.now()` */
export function secondsSince(startedMs) {
  const seconds = (performance.now() - startedMs) / 1_000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
