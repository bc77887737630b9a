import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that runs, and what it has said. */
export interface RunningProgram {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly log: () => string;
  /** Its exit status once all who have its standard output have ended; null: a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Runs a file of Node.js, which sees these settings alone. @param input Its standard input; left out: nothing. */
export function runProgramFile(
  file: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  cwd: string,
  input: 'ignore' | number = 'ignore',
): RunningProgram {
  const env = { PATH: process.env.PATH, ...settings };
  return follow(spawn(process.execPath, [file, ...words], { cwd, env, stdio: [input, 'pipe', 'pipe'] }));
}

/** Waits until a server listens. @throws with what it said when it ended before. */
export async function findBaseUrl({ child, output, log, ended }: RunningProgram): Promise<string> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const line = output()
      .split('\n')
      .find((text) => text.includes('"event":"server_listening"'));
    if (line !== undefined) return `http://127.0.0.1:${JSON.parse(line).port}`;
    if (isOver) throw new Error(`The server ended while starting:\n${log()}`);
    await Promise.race([ended, once(child.stdout as NodeJS.ReadableStream, 'data')]);
  }
}

/** Follows what a program says. */
export function follow(child: ChildProcess): RunningProgram {
  const said = { output: '', log: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    said.output += piece;
  });
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    said.log += piece;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, output: () => said.output, log: () => said.log };
}
