import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { startFlag } from '../../server/kernel/tune-garbage-collector.js';
import { databaseUrlOf } from '../../server/test/each-database.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { stretched } from '../../server/test/wait-factor.js';
import { findFreePort } from './free-port.js';

const startTimeoutMs = stretched(30_000);
const stopTimeoutMs = stretched(15_000);
const outputLinesKept = 200;
const startAttemptsMax = 5;
const portPauseMs = 200;

/** One line of the server's log. */
export interface LogLine {
  readonly event?: string;
  readonly [field: string]: unknown;
}

/** The real server, as built, in a process of its own. */
export interface Stack {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Its process, to be measured. */
  readonly pid: number;
  /** What the server has logged so far, oldest first. */
  readonly log: readonly LogLine[];
  /** Stops it as an operator would, by SIGTERM. Fails if it does not end well within 15 seconds after its DRAIN_DELAY_SECONDS, longer on a slow machine. */
  stop(): Promise<void>;
  /** Kills it, as a power cut would. */
  kill(): Promise<void>;
  /** Its status, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts the server on a free port of this machine, or on the one of the setting PORT, and waits until it listens. It sees only
 * the settings given here, so that a developer's own environment changes nothing.
 * @param mainScript of another release than the one that was built here
 */
export async function startStack(
  database: DatabaseAddress,
  settings: Readonly<Record<string, string>> = {},
  mainScript = join(import.meta.dirname, '../../server/main.js'),
): Promise<Stack> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce({ database, settings, mainScript });
    } catch (error) {
      // Between the search and its use, any connection of this machine may take a free port for its own end.
      if (!String(error).includes('EADDRINUSE') || attempt === startAttemptsMax) throw error;
      await sleep(portPauseMs);
    }
  }
}

interface StackPlan {
  readonly database: DatabaseAddress;
  readonly settings: Readonly<Record<string, string>>;
  readonly mainScript: string;
}

async function startOnce({ database, settings, mainScript }: StackPlan): Promise<Stack> {
  const port = settings.PORT === undefined ? await findFreePort() : Number(settings.PORT);
  const baseUrl = `http://127.0.0.1:${port}`;
  const folder = makeTestFolder('stack');
  const child = spawn(process.execPath, [startFlag, mainScript], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: baseUrl,
      SIGNUPS_PER_HOUR: '100000',
      SIGNUP_CREDITS: '0',
      SPOOL_DIR: join(folder, 'spool'),
      DATABASE_URL: databaseUrlOf(database),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      rmSync(folder, { recursive: true, force: true });
      resolve(code ?? signal);
    });
  });
  const log: LogLine[] = [];
  const lastWords: string[] = [];
  await waitUntilListening(child, { log, lastWords });
  return {
    baseUrl,
    pid: child.pid ?? 0,
    log,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      const drainDelayMs = 1_000 * Number(settings.DRAIN_DELAY_SECONDS ?? 0);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs + drainDelayMs);
      const outcome = await ended;
      clearTimeout(timer);
      if (outcome === 0) return;
      const words = lastWords.join('\n');
      throw new Error(`The server ended with ${outcome} instead of 0 when asked to stop. Its last words:\n${words}`);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What a server has said. */
interface Output {
  readonly log: LogLine[];
  readonly lastWords: string[];
}

function waitUntilListening(child: ChildProcess, { log, lastWords }: Output): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`The server ${what}. Its last words:\n${lastWords.join('\n')}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`was not listening after ${startTimeoutMs / 1_000} s`);
    }, startTimeoutMs);
    const keep = (line: string) => {
      lastWords.push(line);
      if (lastWords.length > outputLinesKept) lastWords.shift();
    };
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code} while starting`);
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        keep(line);
        const entry = parseLogLine(line);
        if (entry === null) return;
        log.push(entry);
        if (entry.event !== 'server_listening') return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

function parseLogLine(line: string): LogLine | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
