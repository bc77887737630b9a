import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const readyLine = /Ready to accept connections|\+monitor master/;

// However the test ends, nothing of it goes on, and nothing is left behind.
const running = new Set<RedisProcess>();
process.once('exit', () => {
  for (const redis of running) redis.removeNow();
});

/** A `redis-server` of one test, in memory, with whatever options, in a folder of its own. */
export class RedisProcess {
  #server: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly words: readonly string[],
  ) {
    running.add(this);
  }

  /** @param words as on its command line; `PORT` in them is filled in. */
  static async start(words: readonly string[]): Promise<RedisProcess> {
    const [port, folder] = [await findFreePort(), mkdtempSync(join(tmpdir(), 'tollgate-redis-'))];
    const filledIn = words.map((word) => word.replace('PORT', String(port)));
    const redis = new RedisProcess(port, folder, ['--bind', '127.0.0.1', '--save', '', '--dir', folder, ...filledIn]);
    await redis.resume();
    return redis;
  }

  /** One that watches over a master: it writes what it learns into its own settings. */
  static async startSentinel(settings: readonly string[]): Promise<RedisProcess> {
    const [port, folder] = [await findFreePort(), mkdtempSync(join(tmpdir(), 'tollgate-sentinel-'))];
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, ['bind 127.0.0.1', `dir ${folder}`, ...settings, ''].join('\n').replace('PORT', String(port)));
    const sentinel = new RedisProcess(port, folder, [file, '--sentinel']);
    await sentinel.resume();
    return sentinel;
  }

  /** Starts it again, empty, at the same address. */
  async resume(): Promise<void> {
    const server = spawn('redis-server', this.words, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#server = server;
    const lines: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stdout }).on('line', (line) => {
        if (lines.length < 100) lines.push(line);
        if (readyLine.test(line)) resolve();
      });
      server.once('exit', () => reject(new Error(`redis-server did not start:\n${lines.join('\n')}`)));
    });
  }

  /** Stops it where it stands: its connections stay, and nobody answers. */
  freeze(): void {
    this.#server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#server?.kill('SIGCONT');
  }

  /** Kills it, as a crash would; it may be resumed. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  /** Kills it, and takes its folder away. */
  async remove(): Promise<void> {
    await this.kill();
    this.removeNow();
  }

  removeNow(): void {
    this.#server?.kill('SIGKILL');
    running.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port of this machine that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return address && typeof address === 'object' ? address.port : 0;
}
