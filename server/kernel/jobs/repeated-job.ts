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
  #timer: NodeJS.Timeout | null = null;
  #run: Promise<unknown> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(private readonly parts: RepeatedJobParts) {}

  /** Begins within five minutes, not with all other processes at once, and again an interval after each end. */
  start(firstMs = Math.random() * firstMsMax): void {
    const { intervalMs, onFailure, run } = this.parts;
    this.#timer = setTimeout(() => {
      this.#run = run(this.#stop.signal).catch((error) => {
        if (!this.#stop.signal.aborted) onFailure(error);
      });
      void this.#run.finally(() => {
        if (!this.#stop.signal.aborted) this.start(intervalMs);
      });
    }, firstMs).unref();
  }

  /** Lets the step under way end, for five seconds at most. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.race([this.#run, sleep(closeTimeoutMs, undefined, { ref: false })]);
  }
}
