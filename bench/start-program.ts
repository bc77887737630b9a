import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { collectorFlag } from '../server/kernel/tune-garbage-collector.js';

const startTimeoutMs = 30_000;
const wordsKept = 50;

/** A program beside the measured server: a fake provider, the bare gateway, a peer. It ends with us. */
export interface Program {
  readonly pid: number;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  stop(): void;
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
  const child = spawn(process.execPath, nodeArguments, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const words: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`${nodeArguments.join(' ')} ${what}:\n${words.join('\n')}`));
    const timer = setTimeout(() => fail('printed no port in time'), startTimeoutMs);
    child.once('error', reject);
    child.once('exit', (code) => fail(`ended with ${code} while starting`));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        words.push(line);
        if (words.length > wordsKept) words.shift();
        if (!/^\d+$/.test(line)) return;
        clearTimeout(timer);
        resolve(line);
      });
    }
  });
  return { pid: child.pid ?? 0, baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}
