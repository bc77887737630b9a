import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseAddress } from '../database/database-address.js';
import { databaseUrlOf } from './each-database.js';
import type { ProgramRun } from './run-program.js';
import { makeTestFolder } from './test-folder.js';

/** What the process of the programs is told. */
export interface ProgramOrder {
  readonly file: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Shared by all suites of this process, and gone with it. */
let host: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();
process.on('exit', () => host?.kill('SIGKILL'));

/**
 * As `runProgram`, in one process for all programs that suites of this process run: each costs a twentieth of a start of its own. For
 * suites about what a command does; that programs end by themselves, and hear signals and standard input, is tried with `runProgram`.
 */
export async function runWarmProgram(
  file: 'migrate.js' | 'reconcile.js' | 'tollgate.js' | 'verify.js',
  database: DatabaseAddress,
  { words = [], settings = {} }: { words?: readonly string[]; settings?: Readonly<Record<string, string>> } = {},
): Promise<ProgramRun> {
  const spoolFolder = makeTestFolder('spool');
  const environment = {
    ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrlOf(database), SPOOL_DIR: spoolFolder },
    ...settings,
  };
  const run = last.then(() => ask({ file: join(import.meta.dirname, '../cli', file), words, environment }));
  last = run.catch(() => {});
  try {
    return await run;
  } finally {
    rmSync(spoolFolder, { recursive: true, force: true });
  }
}

async function ask(order: ProgramOrder): Promise<ProgramRun> {
  if (host === null || host.exitCode !== null || !host.connected) {
    host = fork(join(import.meta.dirname, 'warm-program-process.js'), [], { execArgv: [], env: {} });
    host.unref();
    host.channel?.unref();
  }
  const child = host;
  const isOver = new AbortController();
  const ended = once(child, 'exit', isOver).then(([code, signal]) => {
    throw new Error(`The process of the programs ended with ${code ?? signal}.`);
  });
  child.channel?.ref();
  try {
    child.send(order);
    const [run] = (await Promise.race([once(child, 'message', isOver), ended])) as [ProgramRun];
    return run;
  } finally {
    child.channel?.unref();
    ended.catch(() => {});
    isOver.abort();
  }
}
