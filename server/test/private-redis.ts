import { spawnSync } from 'node:child_process';
import { Secret } from '../kernel/secret.js';
import { RedisProcess } from './redis-process.js';

const isInstalled = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** As `describe`, where this machine has Redis; shown as skipped where not, and failing with CI=true. */
export function describeOnRedis(title: string, defineTests: () => void): void {
  if (!isInstalled && process.env.CI === 'true') throw new Error('CI is set, and this machine has no redis-server.');
  (isInstalled ? describe : describe.skip)(`${title} (Redis)`, defineTests);
}

/** A Redis of one test: in memory, without a password, on a port of its own. */
export class PrivateRedis {
  private constructor(private readonly redis: RedisProcess) {}

  /** @param words Further ones of its command line, such as `--maxmemory 3mb`. */
  static async start(words: readonly string[] = []): Promise<PrivateRedis> {
    return new PrivateRedis(await RedisProcess.start(['--port', 'PORT', '--appendonly', 'no', ...words]));
  }

  get url(): Secret {
    return new Secret(`redis://127.0.0.1:${this.redis.port}`);
  }

  /** Starts it, empty, at the same address as before. */
  async resume(): Promise<void> {
    await this.redis.resume();
  }

  /** Stops it where it stands: its connections stay, and nobody answers. */
  freeze(): void {
    this.redis.freeze();
  }

  thaw(): void {
    this.redis.thaw();
  }

  /** Kills it, as a crash would; it may be resumed. */
  async kill(): Promise<void> {
    await this.redis.kill();
  }
}
