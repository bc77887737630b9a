import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { findRepositoryRoot } from './architecture/source-tree.js';

const keeperScript = join(findRepositoryRoot(import.meta.dirname), 'scripts/private-database-server.mjs');

interface ServerAddress {
  readonly url: string;
  readonly adminUrl: string;
  readonly product: 'MariaDB' | 'MySQL';
}

/** A database server of one suite's own that may be killed and started again on the same data. */
export class OwnDatabaseServer {
  private constructor(
    private readonly keeper: ChildProcessWithoutNullStreams,
    private readonly answers: Interface,
    readonly address: ServerAddress,
  ) {}

  /** @param options of the server's command line, besides those of every test server */
  static async start(options: readonly string[]): Promise<OwnDatabaseServer> {
    const keeper = spawn(process.execPath, [keeperScript, '--', ...options], { detached: true });
    keeper.stderr.pipe(process.stderr);
    const answers = createInterface({ input: keeper.stdout });
    const failed = once(keeper, 'exit').then(() => Promise.reject(new Error('The database server did not start.')));
    const [line] = (await Promise.race([once(answers, 'line'), failed])) as [string];
    failed.catch(() => {});
    return new OwnDatabaseServer(keeper, answers, JSON.parse(line) as ServerAddress);
  }

  async order(order: 'kill' | 'start'): Promise<void> {
    const done = once(this.answers, 'line');
    this.keeper.stdin.write(`${order}\n`);
    await done;
  }

  async stop(): Promise<void> {
    const exited = once(this.keeper, 'exit');
    this.keeper.stdin.end();
    await exited;
  }
}
