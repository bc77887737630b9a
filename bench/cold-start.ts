import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startStack } from '../e2e/support/start-stack.js';
import type { DatabaseAddress } from '../server/database/database-address.js';

const starts = 5;

/** From the start of the process to its first answer of 200 to `/healthz`, in milliseconds, each start by itself. */
export interface ColdStarts {
  /** On a SQLite file that the server has used before. */
  readonly knownMs: readonly number[];
  /** On a file that it has to make first. */
  readonly freshMs: readonly number[];
}

/** Starts the built server again and again, and stops it each time. The first start of all is not counted. */
export async function measureColdStarts(folder: string): Promise<ColdStarts> {
  const known = freshFile(folder);
  await startOnce(known);
  const knownMs: number[] = [];
  const freshMs: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    knownMs.push(await startOnce(known));
    freshMs.push(await startOnce(freshFile(folder)));
  }
  return { knownMs, freshMs };
}

function freshFile(folder: string): DatabaseAddress {
  return { kind: 'sqlite', file: join(folder, `${randomBytes(6).toString('hex')}.db`) };
}

async function startOnce(database: DatabaseAddress): Promise<number> {
  const startedMs = performance.now();
  const stack = await startStack(database);
  const { status } = await fetch(`${stack.baseUrl}/healthz`);
  const tookMs = performance.now() - startedMs;
  await stack.stop();
  if (status !== 200) throw new Error(`The server started, and answered ${status} to /healthz.`);
  return tookMs;
}
