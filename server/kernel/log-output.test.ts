import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../test/eventually.js';
import { makeTestFolder } from '../test/test-folder.js';
import { LogOutput } from './log-output.js';

/** A pipe that is full, and that nobody reads until `readAll`. */
class FullPipe {
  readonly #folder = makeTestFolder('log-output');
  readonly descriptor: number;

  constructor() {
    const path = join(this.#folder, 'pipe');
    execFileSync('mkfifo', [path]);
    this.descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#untilRefused(() => writeSync(this.descriptor, Buffer.alloc(4_096)));
  }

  /** What is in it now. */
  readAll(): string {
    const pieces: Buffer[] = [];
    const buffer = Buffer.alloc(65_536);
    this.#untilRefused(() => {
      pieces.push(Buffer.from(buffer.subarray(0, readSync(this.descriptor, buffer))));
    });
    return Buffer.concat(pieces).toString().replaceAll('\0', '');
  }

  close(): void {
    closeSync(this.descriptor);
    rmSync(this.#folder, { recursive: true });
  }

  #untilRefused(act: () => void): void {
    for (;;) {
      try {
        act();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
        throw error;
      }
    }
  }
}

const itOnUnix = process.platform === 'win32' ? it.skip : it;

describe('the output of a log whose reader stands still', () => {
  itOnUnix('keeps 8 MB of lines in their order, and says once the reader is back how many it has dropped', async () => {
    const pipe = new FullPipe();
    const dropped: number[] = [];
    const output: LogOutput = new LogOutput(pipe.descriptor, (lines) => {
      dropped.push(lines);
      output.write('the notice\n');
    });
    const line = (n: number) => `${n}`.padEnd(1_023, '.').concat('\n');
    const written = 10_000;
    for (let n = 0; n < written; n += 1) output.write(line(n));
    let read = '';
    await eventually(() => {
      read += pipe.readAll();
      return read.endsWith('the notice\n');
    });
    const kept = 8 * 1_024;
    expect(dropped).toEqual([written - kept]);
    expect(read === `${Array.from({ length: kept }, (_, n) => line(n)).join('')}the notice\n`).toBe(true);
    output.write('a later line\n');
    await eventually(() => pipe.readAll() === 'a later line\n');
    pipe.close();
  });
});

describe('several logs in one process', () => {
  it('have one listener to its end together', () => {
    const before = process.listenerCount('exit');
    for (let n = 0; n < 12; n += 1) new LogOutput(1, () => {});
    expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(1);
  });

  it('each write what is left when it ends', () => {
    const script = `
      import { LogOutput } from ${JSON.stringify(join(import.meta.dirname, 'log-output.js'))};
      for (const descriptor of [1, 2]) {
        const output = new LogOutput(descriptor, () => {});
        for (let n = 0; n < 3; n += 1) output.write(descriptor + ' ' + n + '\\n');
      }
      process.exit();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['1 0\n1 1\n1 2\n', '2 0\n2 1\n2 2\n']);
  });
});
