import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of the cluster in a process of its own, which ends with the test run. */
export class RunningChild {
  /** Its last words, for whoever has to say why it failed. */
  readonly lastLines: string[] = [];
  readonly ended: Promise<number | NodeJS.Signals | null>;

  private constructor(private readonly child: ChildProcess) {
    running.add(child);
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        running.delete(child);
        resolve(code ?? signal);
      });
    });
  }

  static start(program: string, words: readonly string[]): RunningChild {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const started = new RunningChild(child);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        started.lastLines.push(line);
        if (started.lastLines.length > 50) started.lastLines.shift();
      });
    }
    child.once('error', (error) => started.lastLines.push(error.message));
    return started;
  }

  get isRunning(): boolean {
    return running.has(this.child);
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    this.child.kill(signal);
    return this.ended;
  }
}
