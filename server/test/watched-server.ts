import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type ServerOrder = 'watch' | 'report' | 'stop';

export interface ServerReport {
  /** The longest time for which the event loop stood still, in milliseconds. */
  readonly holdMs: number;
  /**
   * The most that its thread worked between two turns of the loop, in milliseconds: what the hold would be if nobody else used
   * the processor. Known on Linux; elsewhere the hold itself.
   */
  readonly workMs: number;
  /** The most memory that the process took, in bytes. */
  readonly rssMax: number;
  readonly port: number;
}

/**
 * The server in a process of its own, on a fresh SQLite database, watched for how long its event loop stands still and for how
 * much memory it takes: in one process with a test, the test's own work would be taken for the server's.
 */
export class WatchedServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly baseUrl: string,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<WatchedServer> {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-watched-'));
    const env = {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      PUBLIC_URL: 'http://tollgate.test',
      DATABASE_URL: `sqlite:${join(folder, 'tollgate.db')}`,
      SPOOL_DIR: join(folder, 'spool'),
      REQUESTS_PER_MINUTE: '1000000',
      CONCURRENT_CALLS: '100000',
      BREAKER_FAILURES: '0',
      SIGNUPS_PER_HOUR: '100000',
      ...settings,
    };
    const child = fork(join(import.meta.dirname, 'watched-server-process.js'), { env, execArgv: [], stdio: 'inherit' });
    const { port } = await nextReport(child);
    return new WatchedServer(child, folder, `http://127.0.0.1:${port}`);
  }

  /** Forgets what was seen so far. */
  async watch(): Promise<ServerReport> {
    return this.#order('watch');
  }

  /** What was seen since `watch`. @throws when the server has ended. */
  async report(): Promise<ServerReport> {
    return this.#order('report');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.connected) {
      const ended = once(this.child, 'exit');
      this.child.send('stop' satisfies ServerOrder);
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #order(order: ServerOrder): Promise<ServerReport> {
    const report = nextReport(this.child);
    this.child.send(order);
    return report;
  }
}

async function nextReport(child: ChildProcess): Promise<ServerReport> {
  const ended = new AbortController();
  const onExit = () => ended.abort(new Error('The server has ended.'));
  child.once('exit', onExit);
  try {
    const [report] = (await once(child, 'message', { signal: ended.signal })) as [ServerReport];
    return report;
  } finally {
    child.off('exit', onExit);
  }
}
