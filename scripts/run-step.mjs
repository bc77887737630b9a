import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isStopping = false;

/**
 * Runs one program until it ends.
 * @param {object} step
 * @param {string} step.title names the step when it fails
 * @param {readonly string[]} step.command the program and its arguments
 * @param {string} [step.folder] where it runs, seen from the project's folder
 * @param {NodeJS.ProcessEnv} [step.env] added to the environment
 * @param {boolean} [step.isQuiet] shows the program's words only when it fails
 * @returns {Promise<void>}
 * @throws {StepFailedError} when it ends with anything but 0; once `stopAllSteps` was called, it never comes back
 */
export async function runStep({ title, command, folder = '.', env = {}, isQuiet = false }) {
  if (isStopping) return new Promise(() => {});
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: join(projectRoot, folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'],
    // A group of its own, so that `stopAllSteps` reaches what the program started in its turn.
    detached: true,
  });
  running.add(child);
  /** @type {Buffer[]} */
  const words = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => words.push(chunk));
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  }).finally(() => running.delete(child));
  // Whoever waits must not go on to the next step while everything is being stopped.
  if (isStopping) return new Promise(() => {});
  if (exitCode === 0) return;
  process.stderr.write(Buffer.concat(words));
  throw new StepFailedError(title, exitCode);
}

/** Ends every program that still runs, and what those started: politely first, by force after five seconds. */
export async function stopAllSteps() {
  isStopping = true;
  const children = [...running];
  for (const child of children) signalGroup(child, 'SIGTERM');
  const deadlineMs = performance.now() + killGraceMs;
  while (running.size > 0 && performance.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const child of children) signalGroup(child, 'SIGKILL');
}

/**
 * Makes Ctrl-C and a polite kill end the running programs before this one.
 * @returns {() => void} gives the signals back
 */
export function stopStepsOnSignal() {
  const onInterrupt = () => stopAllSteps().finally(() => process.exit(130));
  const onTerminate = () => stopAllSteps().finally(() => process.exit(143));
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate);
  return () => process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  try {
    process.kill(-Number(child.pid), signal);
  } catch {
    child.kill(signal);
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

/** The npm that runs this script, or the one of PATH. */
export function npmProgram() {
  const npmScript = process.env.npm_execpath;
  if (npmScript?.endsWith('npm-cli.js')) return [process.execPath, npmScript];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** A duration for people: `61 s`, `3.4 s`. @param {number} startedMs from `performance.now()` */
export function secondsSince(startedMs) {
  const seconds = (performance.now() - startedMs) / 1_000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
