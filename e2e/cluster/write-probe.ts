import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import type { GroupReplication, Member } from './group-replication.js';

const pauseMs = 20;
const timeoutMs = 1_000;

/**
 * A plain client that writes to whichever member takes it, one try after the other at each of them: what the database itself
 * needs for a failover, however quick its users are.
 */
export class WriteProbe {
  readonly #writtenMs: number[] = [performance.now()];
  #isStopped = false;
  readonly #running: Promise<unknown>;

  constructor(private readonly group: GroupReplication) {
    this.#running = Promise.all(group.members.map((member) => this.#keepWriting(member)));
  }

  /** @returns the longest time in which no write was answered, in milliseconds. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#running;
    return longestGapMs([...this.#writtenMs, performance.now()]);
  }

  async #keepWriting(member: Member): Promise<void> {
    let connection: Connection | null = null;
    for (; !this.#isStopped; await sleep(pauseMs)) {
      try {
        connection ??= await this.#connect(member);
        await connection.query({ sql: 'INSERT INTO probe.t () VALUES ()', timeout: timeoutMs });
        this.#writtenMs.push(performance.now());
      } catch {
        connection?.destroy();
        connection = null;
      }
    }
    connection?.destroy();
  }

  async #connect(member: Member): Promise<Connection> {
    const connection = await this.group.connect(member, timeoutMs);
    connection.on('error', () => {});
    return connection;
  }
}

/** The longest time between two neighbours, once they are sorted. */
export function longestGapMs(instantsMs: readonly number[]): number {
  const sorted = [...instantsMs].sort((a, b) => a - b);
  return sorted.reduce((longest, instant, index) => Math.max(longest, instant - (sorted[index - 1] ?? instant)), 0);
}
