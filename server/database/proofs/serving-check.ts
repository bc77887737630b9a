import type { DataSource } from 'typeorm';
import type { Stopwatch } from '../../kernel/clock.js';
import { withinMs } from '../../kernel/jobs/within-ms.js';
import type { SqliteFilePlace } from '../sqlite-file-place.js';
import type { UnitOfWork } from '../unit-of-work.js';
import { writeToMysql } from './mysql-standing.js';

export interface ServingCheckOptions {
  readonly source: DataSource;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Stopwatch;
  /** Of the SQLite file; null or left out: nobody is told when it was moved away. */
  readonly filePlace?: SqliteFilePlace | null;
  /** How long a write may take, in milliseconds; 2,000 when left out. A balancer waits a little longer. */
  readonly timeoutMs?: number;
}

/** On SQLite each question writes and syncs a page. */
const sqliteAnswerKeptMs = 5_000;
/** After a failover the balancer should know soon. */
const mysqlAnswerKeptMs = 1_000;

/**
 * Whether the database does what calls need. A disk that became read-only, that fails or is full answers every question that
 * only reads, and so does a server that lost its role; so it is made to write, however many ask at most once in five seconds
 * (SQLite) or one (MySQL), and never a second time before the first has ended.
 */
export class ServingCheck {
  readonly #options: Required<ServingCheckOptions>;
  #last: { readonly elapsedMs: number; readonly answer: Promise<void> } | null = null;
  #isWriting = false;

  constructor(options: ServingCheckOptions) {
    this.#options = { timeoutMs: 2_000, filePlace: null, ...options };
  }

  /**
   * @throws the driver's error when it does not; an error of our own when that takes too long, or when the SQLite file was moved away
   *   beneath us.
   */
  assertServes(): Promise<void> {
    const { source, clock, timeoutMs } = this.#options;
    const elapsedMs = clock.elapsedMs();
    const keptMs = source.options.type === 'mysql' ? mysqlAnswerKeptMs : sqliteAnswerKeptMs;
    const isFresh = this.#last !== null && elapsedMs - this.#last.elapsedMs < keptMs;
    // A write that hangs keeps a connection: a second one would take the next.
    if (this.#last === null || (!isFresh && !this.#isWriting)) {
      this.#last = { elapsedMs, answer: withinMs(timeoutMs, this.#write(), 'The database takes too long to write.') };
    }
    return this.#last.answer;
  }

  async #write(): Promise<void> {
    const { source, unitOfWork, filePlace } = this.#options;
    filePlace?.assertInPlace();
    this.#isWriting = true;
    try {
      if (source.options.type === 'mysql') await writeToMysql(source);
      // Changes nothing, and is written all the same: nobody else uses this number.
      else await unitOfWork.transactForServer((transaction) => transaction.query('PRAGMA user_version = 0'));
    } finally {
      this.#isWriting = false;
    }
  }
}
