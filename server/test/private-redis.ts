import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Secret } from '../kernel/secret.js';

const isInstalled = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** As `describe`, where this machine has Redis; shown as skipped where not, and failing with CI=true. */
export function describeOnRedis(title: string, defineTests: () => void): void {
  if (!isInstalled && process.env.CI === 'true') throw new Error('CI is set, and this machine has no redis-server.');
  (isInstalled ? describe : describe.skip)(`${title} (Redis)`, defineTests);
}

/** A Redis of one test: in memory, on a port of its own. */
export class PrivateRedis {
  #server: ChildProcess | null = null;

  private constructor(private readonly port: number) {
    process.on('exit', () => this.#server?.kill('SIGKILL'));
  }

  static async start(): Promise<PrivateRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    probe.close();
    await once(probe, 'close');
    const redis = new PrivateRedis(port);
    await redis.resume();
    return redis;
  }

  get url(): Secret {
    return new Secret(`redis://127.0.0.1:${this.port}`);
  }

  /** Starts it, empty, at the same address as before. */
  async resume(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#server = server;
    const output = createInterface({ input: server.stdout });
    await new Promise<void>((resolve, reject) => {
      output.on('line', (line) => line.includes('Ready to accept connections') && resolve());
      server.once('exit', () => reject(new Error('redis-server did not start.')));
    });
  }

  /** Stops it where it stands: its connections stay, and nobody answers. */
  freeze(): void {
    this.#server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#server?.kill('SIGCONT');
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
}
