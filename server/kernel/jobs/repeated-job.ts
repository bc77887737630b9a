import { setTimeout as sleep } from 'node:timers/promises';

export interface RepeatedJobParts {
  /** Stops where it can once the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  readonly intervalMs: number;
  /** It is tried again after the interval. */
  readonly onFailure: (error: unknown) => void;
}

const firstMsMax = 300_000;
const closeTimeoutMs = 5_000;

/** Work that a process does by itself, again and again, never twice at once; it keeps no process alive. */
export class RepeatedJob {
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<unknown> = Promise.resolve();
  #lastDoneAtMs: number | null = null;
  readonly #stop = new AbortController();

  constructor(private readonly parts: RepeatedJobParts) {}

  /** When everything that was due was last done, as the work itself says by `noteDone`; null: not since the start. */
  get lastDoneAtMs(): number | null {
    return this.#lastDoneAtMs;
  }

  /** @param atMs Milliseconds since 1970, by the clock of the work. */
  noteDone(atMs: number): void {
    this.#lastDoneAtMs = atMs;
  }

  /** Begins within five minutes, not with all other processes at once, and again about an interval after each end. */
  start(firstMs = Math.random() * firstMsMax): void {
    this.#timer = setTimeout(() => {
      this.#run = this.parts.run(this.#stop.signal).catch((error) => {
        if (!this.#stop.signal.aborted) this.parts.onFailure(error);
      });
      void this.#run.finally(() => {
        if (!this.#stop.signal.aborted) this.startAfterInterval();
      });
    }, firstMs).unref();
  }

  /** Begins about an interval from now, a little at random, so that instances do not all come at once; then as `start`. */
  startAfterInterval(): void {
    this.start(this.parts.intervalMs * (0.75 + Math.random() / 2));
  }

  /** Lets the step under way end, for five seconds at most. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.race([this.#run, sleep(closeTimeoutMs, undefined, { ref: false })]);
  }
}
