import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { DatabaseAddress } from '../database/database-address.js';
import { databaseUrlOf } from './each-database.js';
import { makeTestFolder } from './test-folder.js';

const endsWithinMs = 60_000;

/** What a program said until it ended. */
export interface ProgramRun {
  /** null: it was killed. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly log: string;
}

export interface ProgramOptions {
  /** What is typed behind its name. */
  readonly words?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** What it reads from standard input; left out: nothing. */
  readonly input?: string;
  /** Told what was said so far, each time that more was. */
  readonly whenSaid?: (output: string, child: ChildProcess) => void;
}

/**
 * Runs one of the operator's programs, as built, until it ends; one that takes longer than a minute is killed. It sees only
 * the settings given here, and a spool of its own.
 */
export async function runProgram(
  file: 'migrate.js' | 'reconcile.js' | 'seed.js' | 'tollgate.js' | 'verify.js',
  database: DatabaseAddress,
  { words = [], settings = {}, input = '', whenSaid }: ProgramOptions = {},
): Promise<ProgramRun> {
  const spoolFolder = makeTestFolder('spool');
  const child = spawn(process.execPath, [join(import.meta.dirname, '../cli', file), ...words], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrlOf(database), SPOOL_DIR: spoolFolder, ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: endsWithinMs,
  });
  // A program that reads nothing may be gone before it is written.
  child.stdin.on('error', () => {}).end(input);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
    whenSaid?.(said, child);
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const [output, log, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  rmSync(spoolFolder, { recursive: true, force: true });
  return { exitCode, output, log };
}
