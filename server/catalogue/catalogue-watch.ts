import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../kernel/logger.js';

export interface CatalogueWatchParts {
  /** How many changes there were. */
  readonly readRevision: () => Promise<number>;
  /** Reads all that was set and takes it over. @returns how many changes there were. */
  readonly takeOver: () => Promise<number>;
  readonly logger: Logger;
  readonly pollMs?: number;
  readonly timeoutMs?: number;
}

/** How far this process is with changes of providers, models and prices. */
export interface CatalogueStanding {
  /** The last change that was taken over. */
  readonly revision: number;
  /** Why a later one was not; null: there is none that this process knows of. */
  readonly fault: string | null;
}

/**
 * Looks once a second whether another instance, or the command line, has changed something, and takes it over. What cannot be read leaves
 * the last good state in force: that is told to the log, once, and to whoever asks.
 */
export class CatalogueWatch {
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #revision = -1;
  #fault: string | null = null;

  constructor(private readonly parts: CatalogueWatchParts) {}

  get standing(): CatalogueStanding {
    return { revision: this.#revision, fault: this.#fault };
  }

  /** Takes over what there is, then keeps looking. @throws what the first look failed by: nobody is to be served at wrong prices. */
  async start(): Promise<void> {
    await this.#lookOnce();
    const look = () => void this.look().catch(() => {});
    this.#timer = setInterval(() => this.#looking === null && look(), this.parts.pollMs ?? 1_000).unref();
  }

  /** Takes over what was changed until now. @throws when it cannot; what was in force stays. */
  async look(): Promise<void> {
    // One that began before the change may not have seen it.
    await this.#looking?.catch(() => {});
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => this.#tellOfFault(error))
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#looking?.catch(() => {});
  }

  async #lookOnce(): Promise<void> {
    const { logger, timeoutMs = 5_000, readRevision, takeOver } = this.parts;
    const revision = await within(timeoutMs, readRevision());
    if (revision !== this.#revision) this.#revision = await within(timeoutMs, takeOver());
    if (this.#fault !== null) logger.info('catalogue_read_again', { revision: this.#revision });
    this.#fault = null;
  }

  #tellOfFault(error: unknown): never {
    const isFirst = this.#fault === null;
    this.#fault = error instanceof Error ? error.message : String(error);
    if (isFirst && this.#timer !== null) this.parts.logger.error('catalogue_unread', { error });
    throw error;
  }
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const timer = sleep(timeoutMs, undefined, { signal: ended.signal, ref: false }).then((): never => {
    throw new Error('The database did not answer in time.');
  });
  timer.catch(() => {});
  return Promise.race([work, timer]).finally(() => ended.abort());
}
