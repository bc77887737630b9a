import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the suites of one Jest process share, in the words in which the keeper tells it. */
export interface Shared {
  readonly browser: { readonly wsEndpoint: string };
  /** A server with its usual settings, and the SQLite file behind it. */
  readonly server: { readonly baseUrl: string; readonly file: string };
}

/**
 * Finds what the suites of this process share, and has it started by a keeper if none of them has used it yet. Jest gives
 * each suite modules of its own, so they tell each other by a file. The keeper ends when this process does, however that
 * comes about, since it then loses its standard input.
 */
export async function findShared<Kind extends keyof Shared>(kind: Kind): Promise<Shared[Kind]> {
  // The time of its start, since the id of a process comes round.
  const note = join(tmpdir(), `tollgate-shared-${kind}-${process.pid}-${Math.round(performance.timeOrigin)}.json`);
  const known = readNote<Shared[Kind]>(note);
  if (known !== null) return known;
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'shared-process-keeper.js'), kind, note], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C reaches a whole process group, and the keeper must outlive it to clean up.
    detached: true,
  });
  const line = await readFirstLine(keeper);
  writeFileSync(`${note}.new`, line);
  renameSync(`${note}.new`, note);
  // Nothing of it may keep this process from ending. Its standard input stays open until then.
  keeper.unref();
  (keeper.stdin as unknown as { unref(): void }).unref();
  keeper.stdout?.destroy();
  return JSON.parse(line) as Shared[Kind];
}

function readNote<Address>(file: string): Address | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Address;
  } catch {
    return null;
  }
}

function readFirstLine(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (keeper.stdout !== null) createInterface({ input: keeper.stdout }).once('line', resolve);
    keeper.once('error', reject);
    keeper.once('exit', (code) =>
      reject(new Error(`It did not start, and ended with ${code}; its words stand above.`)),
    );
  });
}
