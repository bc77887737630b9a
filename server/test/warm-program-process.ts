import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { ProgramOrder } from './warm-programs.js';

/*
 * Runs the operator's programs in this process, one after the other: for each order what it said and its exit status. Their own file is
 * read anew each time, what it imports once. It lives as long as the process that started it.
 */

let runs = 0;

async function carryOut({ file, words, environment }: ProgramOrder): Promise<object> {
  const said = { output: '', log: '' };
  const kept = { out: process.stdout.write, error: process.stderr.write };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, file, ...words];
  process.exitCode = undefined;
  process.stdout.write = keepIn(said, 'output');
  process.stderr.write = keepIn(said, 'log');
  try {
    runs += 1;
    await import(`${urlOf(file)}?run=${runs}`);
    return { ...said, exitCode: Number(process.exitCode ?? 0) };
  } catch (error) {
    // As Node.js ends a program by what nobody caught.
    return { ...said, log: `${said.log}${(error as Error).stack}`, exitCode: 1 };
  } finally {
    process.stdout.write = kept.out;
    process.stderr.write = kept.error;
  }
}

function keepIn(said: { output: string; log: string }, where: 'output' | 'log'): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...more: unknown[]) => {
    said[where] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const whenWritten = more.at(-1);
    if (typeof whenWritten === 'function') whenWritten();
    return true;
  };
}

/** What is joined to one file would bring all it imports anew. */
function urlOf(file: string): string {
  const single = file.replace(/\.js$/, '-single.js');
  return pathToFileURL(existsSync(single) ? single : file).href;
}

// A program ends its process by that a second after its last word, when the next one may be under way.
process.exit = () => undefined as never;
process.on('message', (order: ProgramOrder) => {
  void carryOut(order).then((run) => process.send?.(run));
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
