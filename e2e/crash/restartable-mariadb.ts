import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { createConnection } from 'mysql2/promise';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { Secret } from '../../server/kernel/secret.js';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';

const keeperScript = join(findRepositoryRoot(import.meta.dirname), 'scripts/private-database-server.mjs');

/** A MariaDB (or the MySQL that `MYSQLD` names) of one suite's own, which the suite may kill and start again on the same data. It ends with the test run. */
export class RestartableMariadb {
  private constructor(
    private readonly keeper: ChildProcessWithoutNullStreams,
    private readonly answers: Interface,
    private readonly serverUrl: string,
  ) {}

  /** @throws when the machine has no MariaDB, or it does not start. */
  static async start(): Promise<RestartableMariadb> {
    const keeper = spawn(process.execPath, [keeperScript], { detached: true });
    keeper.stderr.pipe(process.stderr);
    const answers = createInterface({ input: keeper.stdout });
    const failed = once(keeper, 'exit').then(() => Promise.reject(new Error('MariaDB did not start.')));
    const [line] = (await Promise.race([once(answers, 'line'), failed])) as [string];
    failed.catch(() => {});
    const { url } = JSON.parse(line) as { url: string };
    return new RestartableMariadb(keeper, answers, url);
  }

  /** An empty database named `tollgate_` and this, as an ordinary user with the documented grants sees it. */
  async createDatabase(name: string): Promise<DatabaseAddress> {
    const connection = await createConnection(this.serverUrl);
    await connection.query(`CREATE DATABASE tollgate_${name}`);
    await connection.end();
    return { kind: 'mysql', url: new Secret(`${this.serverUrl}/tollgate_${name}`) };
  }

  /** By SIGKILL, as a power cut would, except that the system's own cache stays. */
  kill(): Promise<void> {
    return this.#order('kill');
  }

  /** Starts it again and waits until it has recovered and takes connections. */
  startAgain(): Promise<void> {
    return this.#order('start');
  }

  async close(): Promise<void> {
    const exited = once(this.keeper, 'exit');
    this.keeper.stdin.end();
    await exited;
  }

  async #order(order: 'kill' | 'start'): Promise<void> {
    const done = once(this.answers, 'line');
    this.keeper.stdin.write(`${order}\n`);
    await done;
  }
}
