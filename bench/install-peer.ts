import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Contestant } from './contestants.js';
import type { Program } from './start-program.js';

/** Starts an installed peer in front of this provider. */
export type StartPeer = (upstream: Program) => Promise<Contestant>;

/** What was asked for cannot be had on this machine. Nothing was measured. */
export class PeerUnavailableError extends Error {
  override readonly name = 'PeerUnavailableError';
}

const linesShown = 6;

/**
 * Runs one step of an installation.
 * @throws PeerUnavailableError with the program's own last words.
 */
export async function runInstallStep(
  what: string,
  [program = '', ...programArguments]: readonly string[],
  { timeoutMs, folder, env = process.env }: { timeoutMs: number; folder: string; env?: NodeJS.ProcessEnv },
): Promise<void> {
  console.log(`${what} …`);
  try {
    await promisify(execFile)(program, programArguments, { cwd: folder, env, timeout: timeoutMs });
  } catch (error) {
    const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
    const why = killed
      ? `it took longer than ${timeoutMs / 1_000} s`
      : stderr.trim().split('\n').slice(-linesShown).join('\n') || String(error);
    throw new PeerUnavailableError(`${what} failed:\n${why}`);
  }
}
