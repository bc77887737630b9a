import type { Pool } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { AppError } from '../kernel/app-error.js';
import { withinMs } from '../kernel/jobs/within-ms.js';
import type { Logger } from '../kernel/logger.js';
import { createDataSource, type SchemaParts } from './data-source.js';
import type { DatabaseAddress } from './database-address.js';
import { boundWaits } from './pool/mysql-pool.js';
import { listPoolMetrics } from './pool/pool-metrics.js';
import { describeMysqlServer } from './proofs/mysql-standing.js';
import { readMark, writeMark } from './replica-mark.js';
import { UnitOfWork } from './unit-of-work.js';

const lookEveryMs = 1_000;
/** No page of a report takes nearly as long; who has waited for so long is answered by the primary. */
const readTimeoutMs = 3_000;
/** Another instance may have written the mark in between. What lies further ahead is from before the primary's clock was set back. */
const aheadMsMax = 60_000;
const tooLate = `The replica has not answered within ${readTimeoutMs} ms.`;

export interface ReadReplicaParts {
  readonly primary: DataSource;
  readonly address: DatabaseAddress;
  readonly entities: SchemaParts['entities'];
  /** A replica that is further behind answers nothing. */
  readonly lagMsMax: number;
  readonly logger: Logger;
}

/** Why the primary answers instead. */
type Unfitness = 'away' | 'lagging' | 'no_replica_of_this_primary';

/** How far the replica had come when it was last looked at, both by the primary's clock. */
interface Sight {
  readonly atMs: number;
  readonly primaryMs: number;
  /** When that was, by this process's own clock, which nobody sets. */
  readonly seenMs: number;
}

/**
 * A replica that reports are read from while it is there and not far behind; else the primary answers, and log and metrics say
 * so. How far it has come is told by a row that is written on the primary every second, so that neither the replica's clock nor
 * a right to look at its replication matters. It is never asked about money that is to be spent, keys, people or sessions.
 */
export class ReadReplica {
  readonly #source: DataSource;
  readonly #unitOfWork: UnitOfWork;
  #sight: Sight | null = null;
  #unfitness: Unfitness | null = 'away';
  #hasBeenTold = false;
  #insteadCount = 0;
  #isClosing = false;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(private readonly parts: ReadReplicaParts) {
    this.#source = createDataSource(parts.address, { entities: parts.entities, migrations: [] });
    this.#unitOfWork = new UnitOfWork(this.#source);
  }

  /** Looks at the replica for the first time, and from then on every second. A replica that is away keeps nobody from starting. */
  async start(): Promise<void> {
    await this.#lookAgain();
  }

  /**
   * Asks the replica, or, where it cannot answer, the primary.
   * @param askReplica may run in vain; null means that the replica does not have what the answer rests on yet.
   * @throws what the primary throws, and what is wrong with the question.
   */
  async read<Result>(
    askReplica: (unitOfWork: UnitOfWork) => Promise<Result | null>,
    askPrimary: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#lagMs() <= this.parts.lagMsMax) {
      try {
        const result = await withinMs(readTimeoutMs, askReplica(this.#unitOfWork), tooLate);
        if (result !== null) return result;
      } catch (error) {
        if (error instanceof AppError) throw error;
        this.#sight = null;
        this.#note('away', { error });
      }
    }
    this.#insteadCount += 1;
    return askPrimary();
  }

  listMetrics() {
    const lagMs = this.#lagMs();
    const gauge = (name: string, help: string, value: number) => ({ name, help, kind: 'gauge' as const, value });
    return [
      ...listPoolMetrics(this.#source, 'replica'),
      gauge(
        'tollgate_replica_used',
        'Whether reports are read from the replica: 1 or 0.',
        this.#unfitness === null ? 1 : 0,
      ),
      ...(lagMs === Number.POSITIVE_INFINITY
        ? []
        : [gauge('tollgate_replica_lag_seconds', 'How far the replica is behind the primary at most.', lagMs / 1_000)]),
      {
        name: 'tollgate_replica_reads_by_primary_total',
        help: 'Reads of reports that the primary answered instead of the replica, by this process since its start.',
        kind: 'counter' as const,
        value: this.#insteadCount,
      },
    ];
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#looking;
    if (this.#source.isInitialized) await this.#source.destroy();
  }

  async #lookAgain(): Promise<void> {
    this.#looking = this.#look();
    await this.#looking;
    if (!this.#isClosing) this.#timer = setTimeout(() => void this.#lookAgain(), lookEveryMs);
  }

  async #look(): Promise<void> {
    // What is wrong with the primary is told by others; what was seen of the replica grows old meanwhile.
    const mark = await writeMark(this.parts.primary).catch(() => null);
    if (mark === null) return;
    const seenMs = performance.now();
    try {
      if (!this.#source.isInitialized) await this.#connect();
      const found = await readMark(this.#source);
      this.#sight = found?.name === mark.name ? { atMs: found.atMs, primaryMs: mark.nowMs, seenMs } : null;
      if (this.#sight === null) this.#note('no_replica_of_this_primary', {});
      else if (this.#lagMs() > this.parts.lagMsMax) this.#note('lagging', { lagMs: Math.round(this.#lagMs()) });
      else this.#note(null, {});
    } catch (error) {
      this.#sight = null;
      this.#note('away', { error });
    }
  }

  async #connect(): Promise<void> {
    await this.#source.initialize();
    boundWaits((this.#source.driver as MysqlDriver).pool as Pool);
    this.parts.logger.info('replica_connected', (await describeMysqlServer(this.#source)) ?? {});
  }

  /** At most; infinite where nothing is known. */
  #lagMs(): number {
    if (this.#sight === null) return Number.POSITIVE_INFINITY;
    const { atMs, primaryMs, seenMs } = this.#sight;
    const lagMs = primaryMs + (performance.now() - seenMs) - atMs;
    return lagMs < -aheadMsMax ? Number.POSITIVE_INFINITY : Math.max(0, lagMs);
  }

  // Once for each change.
  #note(unfitness: Unfitness | null, facts: object): void {
    const isNews = unfitness !== this.#unfitness || (unfitness !== null && !this.#hasBeenTold);
    this.#unfitness = unfitness;
    this.#hasBeenTold = true;
    if (!isNews || this.#isClosing) return;
    if (unfitness === null) this.parts.logger.info('replica_used', {});
    else this.parts.logger.error('replica_not_used', { reason: unfitness, ...facts });
  }
}
