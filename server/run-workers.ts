import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import type { Logger } from './kernel/logger.js';
import { startFlag } from './kernel/tune-garbage-collector.js';
import { closeHandedConnections } from './workers/handed-connections.js';
import { SilentWorkers } from './workers/silent-workers.js';
import { type ReportingWorker, WorkerReports } from './workers/worker-reports.js';

const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** A worker that has listened for so long was sound: the next pause is a short one again. */
const soundAfterMs = 60_000;
/** What a worker may take, beyond the time for its calls, to settle them and to close everything. */
const closeMsMax = 30_000;
/** What a worker may take to say what it cuts. */
const cutMsMax = 1_000;

/** A worker ended by itself before it could serve; it has said why. */
export class WorkerNotStartedError extends Error {
  override readonly name = 'WorkerNotStartedError';
}

/**
 * The server in `count` processes that share one port, seen from the primary process, which serves nothing itself. Each
 * worker runs `main.js` as a server alone would. The first brings the database up to date before the others start. One that
 * ends is replaced, after a pause that doubles up to half a minute while its successors do not last. Only one that cannot start,
 * and says so by its exit status, ends the start of the pool; a signal, such as that for want of memory, says nothing of the kind.
 * One whose loop stands for a minute, or for five before it listens, is killed, so that it is replaced.
 */
export class WorkerPool {
  readonly #running = new Set<Worker>();
  readonly #reports: WorkerReports;
  readonly #silent = new SilentWorkers(({ pid }) => {
    this.logger.error('worker_silent', { pid });
    for (const worker of this.#running) if (worker.process.pid === pid) worker.process.kill('SIGKILL');
  });
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isClosing = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {
    this.#reports = new WorkerReports(count);
    cluster.setupPrimary({
      // Not the script that was started, which may be the one that builds first.
      exec: join(import.meta.dirname, 'main.js'),
      execArgv: [...process.execArgv, startFlag, '--enable-source-maps'],
    });
  }

  /**
   * Resolves once all workers listen; never, where the pool is closed before.
   * @throws WorkerNotStartedError when one of them, or one in its place, exits by itself before it ever listened.
   */
  async listen(): Promise<number> {
    const port = await this.#startFirst();
    await Promise.all(Array.from({ length: this.count - 1 }, () => this.#startFirst()));
    return port;
  }

  /**
   * Tells all workers to stop and waits for them; cuts those that take longer.
   * @throws when one of them did not end well.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#endCare();
    const ends = [...this.#running].map((worker) => stopWorker(worker, timeoutMs + closeMsMax));
    const faults = (await Promise.all(ends)).filter((fault) => fault !== null);
    if (faults.length > 0) throw new Error(`Of ${ends.length} workers, ${faults.length} did not end well: ${faults}`);
  }

  /** Ends all workers now. Each says what it cuts; one that does not within a second is killed. @returns how many there were. */
  async cut(): Promise<number> {
    this.#endCare();
    const workers = [...this.#running];
    const ends = workers.map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())));
    for (const worker of workers) worker.send({ tollgate: 'cut' }, () => {});
    const kill = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, cutMsMax);
    await Promise.all(ends);
    clearTimeout(kill);
    return workers.length;
  }

  /** Nobody is replaced or killed for silence any more. */
  #endCare(): void {
    this.#isClosing = true;
    this.#silent.close();
    for (const pause of this.#pauses) clearTimeout(pause);
  }

  /** Never resolves, and starts nothing, once the pool is being closed. */
  #startFirst(): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) return;
      this.#start(firstPauseMs, {
        onListening: resolve,
        onNotStarted: (exitCode) =>
          reject(new WorkerNotStartedError(`A worker ended with ${exitCode} while starting.`)),
      });
    });
  }

  /** @param first Only where no worker has listened in this one's place before. */
  #start(pauseMs: number, first?: FirstInPlace): void {
    const worker = this.#fork(pauseMs, first);
    if (worker === null) return;
    closeHandedConnections(worker.process);
    let listeningSinceMs: number | null = null;
    this.#running.add(worker);
    // An error of a channel whose other end has just gone is told by the worker's end.
    const reporting: ReportingWorker = {
      pid: Number(worker.process.pid),
      send: (message) => void (worker.isConnected() && worker.send(message, () => {})),
    };
    this.#silent.add(reporting);
    worker.on('message', (message) => {
      this.#silent.hear(reporting);
      this.#reports.receive(reporting, message);
    });
    worker.once('listening', ({ port }) => {
      listeningSinceMs = performance.now();
      this.#reports.add(reporting);
      this.#silent.noteListening(reporting);
      first?.onListening(port);
    });
    const leave = () => {
      this.#running.delete(worker);
      this.#reports.remove(reporting);
      this.#silent.remove(reporting);
    };
    // A worker without a process never emits `exit`, by which all others are told of and forgotten.
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (worker.process.pid !== undefined || !this.#running.has(worker)) return;
      leave();
      delete cluster.workers?.[worker.id];
      if (!this.#isClosing) this.#replace(undefined, endOf(error), pauseMs, first);
    });
    worker.once('exit', (code, signal: string | null) => {
      leave();
      if (this.#isClosing) return;
      const stillFirst = listeningSinceMs === null ? first : undefined;
      // One that is told to stop alone while it starts ends with 0.
      if (stillFirst && signal === null && code !== 0) return stillFirst.onNotStarted(code);
      const wasSound = listeningSinceMs !== null && performance.now() - listeningSinceMs >= soundAfterMs;
      this.#replace(worker.process.pid, signal ?? code, wasSound ? firstPauseMs : pauseMs, stillFirst);
    });
  }

  /** null: the system has no memory for one, which Node.js throws; it is tried again. Every other failure arrives as its event `error`. */
  #fork(pauseMs: number, first?: FirstInPlace): Worker | null {
    try {
      return cluster.fork();
    } catch (error) {
      this.#replace(undefined, endOf(error as Error), pauseMs, first);
      return null;
    }
  }

  #replace(pid: number | undefined, endedWith: number | string, pauseMs: number, first?: FirstInPlace): void {
    // Who is told to stop alone ends well, and is replaced all the same.
    if (endedWith === 0) this.logger.info('worker_ended', { pid, replacedInMs: pauseMs });
    else this.logger.error('worker_died', { pid, endedWith, replacedInMs: pauseMs });
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#start(Math.min(pauseMs * 2, longestPauseMs), first);
    }, pauseMs);
    this.#pauses.add(pause);
  }
}

/** Who waits for the first worker of a place to listen. */
interface FirstInPlace {
  onListening(port: number): void;
  onNotStarted(exitCode: number): void;
}

function endOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? message;
}

/** @returns what is wrong with the way in which it ended; null: nothing. */
function stopWorker(worker: Worker, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
    worker.once('exit', (code, signal) => {
      clearTimeout(cut);
      // One that was still starting knows no other end yet than by the signal itself, and has nothing to lose.
      const isWell = code === 0 || signal === 'SIGTERM';
      resolve(isWell ? null : `${worker.process.pid} with ${signal ?? code}`);
    });
    worker.process.kill('SIGTERM');
  });
}
