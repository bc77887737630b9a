import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectorFlag } from '../server/kernel/tune-garbage-collector.js';

const startTimeoutMs = 30_000;
const wordsKept = 50;
const lookEveryMs = 200;

/** A program beside the measured server: a fake provider, the bare gateway, a peer. It ends with us. */
export interface Program {
  readonly pid: number;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  stop(): void;
}

/** A program that is told on which port to listen, and says nothing once it does. */
export interface ListeningProgram {
  readonly command: readonly [program: string, ...programArguments: string[]];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of this machine's loopback, and free. */
  readonly port: number;
  /** What it answers with a status of 200 once it can be called. */
  readonly readyPath: string;
  readonly timeoutMs: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a compiled script of this folder with this very Node.js, its garbage collected as the server has its own. */
export function startScript(script: string, ...scriptArguments: string[]): Promise<Program> {
  return startProgram([collectorFlag, join(import.meta.dirname, script), ...scriptArguments]);
}

/**
 * Starts Node.js with these arguments and waits until it prints the port on which it listens, on a line of its own. Its
 * standard input stays open as long as we live.
 * @throws when it ends before, or says nothing for 30 seconds; with its last words.
 */
export async function startProgram(nodeArguments: readonly string[], env = process.env): Promise<Program> {
  let takePort: (port: string) => void = () => {};
  const printed = new Promise<string>((resolve) => {
    takePort = resolve;
  });
  const onLine = (line: string) => {
    if (/^\d+$/.test(line)) takePort(line);
  };
  const started = launch([process.execPath, ...nodeArguments], { env }, onLine);
  const port = await started.until(printed, startTimeoutMs, 'printed no port in time');
  return toProgram(started.child, port);
}

/**
 * Starts a program that is no script of Node.js, and waits until it answers.
 * @throws when it ends before, or does not answer in time; with its last words.
 */
export async function startListening(wanted: ListeningProgram): Promise<Program> {
  const { command, folder, env, port, readyPath, timeoutMs } = wanted;
  const started = launch(command, { env, cwd: folder });
  const isGivenUp = new AbortController();
  try {
    const address = `http://127.0.0.1:${port}${readyPath}`;
    await started.until(waitForAnswer(address, isGivenUp.signal), timeoutMs, 'did not answer in time');
  } finally {
    isGivenUp.abort();
  }
  return toProgram(started.child, String(port));
}

function toProgram(child: ChildProcess, port: string): Program {
  return { pid: child.pid ?? 0, baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

function launch(command: readonly string[], options: SpawnOptions, onLine: (line: string) => void = () => {}) {
  const [program = '', ...programArguments] = command;
  const child = spawn(program, programArguments, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const words: string[] = [];
  const fault = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`did not start, ${error.message}`));
    child.once('exit', (code) => resolve(`ended with ${code} while starting`));
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      words.push(line);
      if (words.length > wordsKept) words.shift();
      onLine(line);
    });
  }
  const fail = (what: string): never => {
    child.kill('SIGKILL');
    throw new Error(`${command.join(' ')} ${what}:\n${words.join('\n')}`);
  };
  /** Waits for what says that it has started. */
  const until = async <Sign>(sign: Promise<Sign>, timeoutMs: number, late: string): Promise<Sign> => {
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, late);
    });
    try {
      return await Promise.race([sign, fault.then(fail), timeUp.then(fail)]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { child, until };
}

async function waitForAnswer(address: string, givenUp: AbortSignal): Promise<void> {
  while (!givenUp.aborted) {
    const answer = await fetch(address, { signal: givenUp }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(lookEveryMs);
  }
}
